import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_UINT128 } from '../integers/integers.ts'
import { getSqrtPriceAtTick } from '../ticks/sqrt-price-of-tick.ts'
import { anyAmount, anySqrtPrice, anyTick, fromJsbi, outcome, sdk, toJsbi, upToBits } from '../v3-sdk.fixture.ts'
import {
  getAmountsForLiquidity,
  getLiquidityForAmount0,
  getLiquidityForAmount1,
  getLiquidityForAmounts,
} from './amounts.ts'

const anyRange = fc
  .uniqueArray(anyTick, { minLength: 2, maxLength: 2 })
  .map((ticks) => ticks.map(getSqrtPriceAtTick) as [bigint, bigint])

describe('liquidity for amounts', () => {
  test('equals the oracle in its router-exact form, and refuses what does not fit 128 bits', () => {
    fc.assert(
      fc.property(anySqrtPrice, anyRange, anyAmount, anyAmount, (price, [a, b], amount0, amount1) => {
        const theirs = fromJsbi(
          sdk.maxLiquidityForAmounts(
            toJsbi(price),
            toJsbi(a),
            toJsbi(b),
            amount0.toString(),
            amount1.toString(),
            false,
          ),
        )
        // In range the contracts cast both sides to 128 bits, so the larger one may be what does not fit.
        const [lower, upper] = a < b ? [a, b] : [b, a]
        const [from, to] = [price > lower ? price : lower, price < upper ? price : upper]
        const side0 = from < upper ? (amount0 * ((from * upper) >> 96n)) / (upper - from) : 0n
        const side1 = to > lower ? (amount1 << 96n) / (to - lower) : 0n
        const own = outcome(() => getLiquidityForAmounts(price, a, b, amount0, amount1))
        expect(own).toBe(side0 > MAX_UINT128 || side1 > MAX_UINT128 ? 'throws' : theirs)
      }),
      { numRuns: 3000 },
    )
  })

  test('one-sided forms are the two halves of the whole', () => {
    fc.assert(
      fc.property(anyRange, upToBits(90), ([a, b], amount) => {
        const [lower, upper] = a < b ? [a, b] : [b, a]
        expect(outcome(() => getLiquidityForAmount0(a, b, amount))).toBe(
          outcome(() => getLiquidityForAmounts(lower, lower, upper, amount, 0n)),
        )
        expect(outcome(() => getLiquidityForAmount1(a, b, amount))).toBe(
          outcome(() => getLiquidityForAmounts(upper, lower, upper, 0n, amount)),
        )
      }),
    )
  })

  test('refuses an empty range and negative amounts', () => {
    expect(() => getLiquidityForAmounts(5n, 7n, 7n, 1n, 1n)).toThrow(expect.objectContaining({ code: 'RANGE_EMPTY' }))
    expect(() => getLiquidityForAmounts(9n, 7n, 7n, 1n, 1n)).toThrow(expect.objectContaining({ code: 'RANGE_EMPTY' }))
    const [lower, upper] = [getSqrtPriceAtTick(-60), getSqrtPriceAtTick(60)]
    const refusal = expect.objectContaining({ code: 'AMOUNT_NEGATIVE' })
    expect(() => getLiquidityForAmount0(lower, upper, -1n)).toThrow(refusal)
    expect(() => getLiquidityForAmount1(lower, upper, -1n)).toThrow(refusal)
  })
})

describe('amounts for liquidity', () => {
  const anyPosition = fc.record({ price: anySqrtPrice, range: anyRange, liquidity: upToBits(120) })

  test('equal the oracle position: mint amounts rounded up, held amounts rounded down', () => {
    fc.assert(
      fc.property(anyPosition, ({ price, range: [a, b], liquidity }) => {
        const [lower, upper] = a < b ? [a, b] : [b, a]
        const at = price < lower ? lower : price > upper ? upper : price
        for (const roundUp of [true, false]) {
          expect(getAmountsForLiquidity(price, a, b, liquidity, roundUp)).toEqual({
            amount0: fromJsbi(sdk.SqrtPriceMath.getAmount0Delta(toJsbi(at), toJsbi(upper), toJsbi(liquidity), roundUp)),
            amount1: fromJsbi(sdk.SqrtPriceMath.getAmount1Delta(toJsbi(lower), toJsbi(at), toJsbi(liquidity), roundUp)),
          })
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('a mint never costs more than the amounts its liquidity was bought with', () => {
    fc.assert(
      fc.property(anySqrtPrice, anyRange, upToBits(100), upToBits(100), (price, [a, b], amount0, amount1) => {
        const liquidity = outcome(() => getLiquidityForAmounts(price, a, b, amount0, amount1))
        if (liquidity === 'throws') return
        const cost = getAmountsForLiquidity(price, a, b, liquidity, true)
        expect(cost.amount0).toBeLessThanOrEqual(amount0)
        expect(cost.amount1).toBeLessThanOrEqual(amount1)
      }),
      { numRuns: 2000 },
    )
  })

  test('a burn never gives more than the mint of the same liquidity cost', () => {
    fc.assert(
      fc.property(anyPosition, ({ price, range: [a, b], liquidity }) => {
        const cost = getAmountsForLiquidity(price, a, b, liquidity, true)
        const gain = getAmountsForLiquidity(price, a, b, liquidity, false)
        expect(gain.amount0).toBeLessThanOrEqual(cost.amount0)
        expect(gain.amount1).toBeLessThanOrEqual(cost.amount1)
      }),
    )
  })
})
