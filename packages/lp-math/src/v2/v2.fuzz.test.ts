import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outcome, upToBits } from '../v3-sdk.fixture.ts'
import {
  amountsForV2Burn,
  getAmountIn,
  getAmountOut,
  liquidityForV2Mint,
  quoteLiquidity,
  v2ProtocolFeeLiquidity,
} from './shares.ts'

const anyReserve = upToBits(112).map((value) => value + 1n)
const e18 = 10n ** 18n

describe('swaps', () => {
  // Published with the pair contract's own tests: in, reserve in, reserve out (in whole tokens), the greatest output it lets pass.
  test.each([
    [1n, 5n, 10n, 1662497915624478906n],
    [1n, 10n, 5n, 453305446940074565n],
    [2n, 5n, 10n, 2851015155847869602n],
    [2n, 10n, 5n, 831248957812239453n],
    [1n, 10n, 10n, 906610893880149131n],
    [1n, 100n, 100n, 987158034397061298n],
    [1n, 1000n, 1000n, 996006981039903216n],
  ])('%s in at %s to %s gives %s', (amountIn, reserveIn, reserveOut, amountOut) => {
    expect(getAmountOut(amountIn * e18, reserveIn * e18, reserveOut * e18)).toBe(amountOut)
  })

  test('the output is the greatest the pair lets pass: its check of k after the fee holds, and fails for one unit more', () => {
    fc.assert(
      fc.property(upToBits(112), anyReserve, anyReserve, (amountIn, reserveIn, reserveOut) => {
        const amountOut = getAmountOut(amountIn, reserveIn, reserveOut)
        const passes = (out: bigint) =>
          ((reserveIn + amountIn) * 1000n - amountIn * 3n) * (reserveOut - out) * 1000n >=
          reserveIn * reserveOut * 1_000_000n
        expect(passes(amountOut)).toBe(true)
        expect(passes(amountOut + 1n)).toBe(false)
        expect(amountOut).toBeLessThan(reserveOut)
      }),
      { numRuns: 2000 },
    )
  })

  test('the input asked for buys the output, and is the least or one unit more', () => {
    fc.assert(
      fc.property(upToBits(112), anyReserve, anyReserve, (amountOut, reserveIn, reserveOut) => {
        fc.pre(amountOut > 0n && amountOut < reserveOut)
        const amountIn = getAmountIn(amountOut, reserveIn, reserveOut)
        expect(getAmountOut(amountIn, reserveIn, reserveOut)).toBeGreaterThanOrEqual(amountOut)
        const cheaper = amountIn > 1n ? getAmountOut(amountIn - 2n, reserveIn, reserveOut) : 0n
        expect(cheaper).toBeLessThan(amountOut)
      }),
      { numRuns: 2000 },
    )
  })

  test('refuse empty pairs, negative amounts and more than there is', () => {
    const short = expect.objectContaining({ code: 'RESERVES_INSUFFICIENT' })
    const negative = expect.objectContaining({ code: 'AMOUNT_NEGATIVE' })
    for (const quote of [getAmountOut, getAmountIn, quoteLiquidity]) {
      expect(() => quote(1n, 0n, 5n)).toThrow(short)
      expect(() => quote(1n, 5n, 0n)).toThrow(short)
      expect(() => quote(-1n, 5n, 5n)).toThrow(negative)
    }
    expect(() => getAmountIn(5n, 5n, 5n)).toThrow(short)
    expect(getAmountIn(0n, 5n, 5n)).toBe(0n)
    expect(getAmountOut(0n, 5n, 5n)).toBe(0n)
  })
})

describe('liquidity', () => {
  test('the first mint locks 1000 units', () => {
    expect(liquidityForV2Mint(e18, 4n * e18, 0n, 0n, 0n)).toBe(2n * e18 - 1000n)
    const refusal = expect.objectContaining({ code: 'LIQUIDITY_OUT_OF_RANGE' })
    expect(() => liquidityForV2Mint(1000n, 1000n, 0n, 0n, 0n)).toThrow(refusal)
    expect(() => liquidityForV2Mint(0n, 5n, 5n, 5n, 5n)).toThrow(refusal)
    expect(liquidityForV2Mint(1001n, 1001n, 0n, 0n, 0n)).toBe(1n)
  })

  test('the quoted amounts are taken whole, and a mint burned at once gives back no more than it took', () => {
    fc.assert(
      fc.property(upToBits(112), anyReserve, anyReserve, anyReserve, (amount0, reserve0, reserve1, totalSupply) => {
        const amount1 = quoteLiquidity(amount0, reserve0, reserve1)
        const liquidity = outcome(() => liquidityForV2Mint(amount0, amount1, reserve0, reserve1, totalSupply))
        fc.pre(liquidity !== 'throws')
        const burnt = outcome(() =>
          amountsForV2Burn(liquidity, reserve0 + amount0, reserve1 + amount1, totalSupply + liquidity),
        )
        fc.pre(burnt !== 'throws')
        expect(burnt.amount0).toBeLessThanOrEqual(amount0)
        expect(burnt.amount1).toBeLessThanOrEqual(amount1)
        // Nobody else's share shrinks.
        expect((reserve0 + amount0) * totalSupply).toBeGreaterThanOrEqual(reserve0 * (totalSupply + liquidity))
        expect((reserve1 + amount1) * totalSupply).toBeGreaterThanOrEqual(reserve1 * (totalSupply + liquidity))
      }),
      { numRuns: 1000 },
    )
  })

  test('a burn of everything gives everything, of more or of nothing is refused', () => {
    expect(amountsForV2Burn(10n, 7n, 9n, 10n)).toEqual({ amount0: 7n, amount1: 9n })
    expect(amountsForV2Burn(5n, 7n, 9n, 10n)).toEqual({ amount0: 3n, amount1: 4n })
    const refusal = expect.objectContaining({ code: 'LIQUIDITY_OUT_OF_RANGE' })
    expect(() => amountsForV2Burn(11n, 7n, 9n, 10n)).toThrow(refusal)
    expect(() => amountsForV2Burn(0n, 7n, 9n, 10n)).toThrow(refusal)
    expect(() => amountsForV2Burn(0n, 7n, 9n, 0n)).toThrow(refusal)
  })

  test('the protocol gets a sixth of the growth of sqrt(k)', () => {
    // Published example of the whitepaper's section 2.4: deposits of 100 and 1, grown to 96 and 1.5 (sqrt(k) 10 to 12).
    expect(v2ProtocolFeeLiquidity(96n * e18, (15n * e18) / 10n, 100n * e18 * e18, 10n * e18)).toBe(285714285714285714n)
    expect(v2ProtocolFeeLiquidity(100n, 1n, 0n, 10n)).toBe(0n)
    expect(v2ProtocolFeeLiquidity(100n, 1n, 100n, 10n)).toBe(0n)
    fc.assert(
      fc.property(anyReserve, anyReserve, upToBits(100), anyReserve, (reserve0, reserve1, kLast, totalSupply) => {
        const minted = v2ProtocolFeeLiquidity(reserve0, reserve1, kLast, totalSupply)
        expect(minted >= 0n && minted * 5n <= totalSupply).toBe(true)
      }),
    )
  })
})
