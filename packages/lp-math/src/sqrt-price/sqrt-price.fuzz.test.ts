import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyAmount, anyLiquidity, anySqrtPrice, fromJsbi, outcome, sdk, toJsbi, upToBits } from '../v3-sdk.fixture.ts'
import {
  getAmount0Delta,
  getAmount1Delta,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
} from './sqrt-price.ts'

const { SqrtPriceMath } = sdk

describe('amount deltas', () => {
  test('equal the oracle in both roundings and both orders of the prices', () => {
    fc.assert(
      fc.property(anySqrtPrice, anySqrtPrice, anyLiquidity, fc.boolean(), (a, b, liquidity, roundUp) => {
        const [x, y, l] = [toJsbi(a), toJsbi(b), toJsbi(liquidity)]
        expect(getAmount0Delta(a, b, liquidity, roundUp)).toBe(
          fromJsbi(SqrtPriceMath.getAmount0Delta(x, y, l, roundUp)),
        )
        expect(getAmount1Delta(a, b, liquidity, roundUp)).toBe(
          fromJsbi(SqrtPriceMath.getAmount1Delta(x, y, l, roundUp)),
        )
        expect(getAmount0Delta(b, a, liquidity, roundUp)).toBe(getAmount0Delta(a, b, liquidity, roundUp))
      }),
      { numRuns: 2000 },
    )
  })

  test('equal the oracle where both divisions leave a remainder or none: at prices of a few units', () => {
    const anySmall = fc.bigInt({ min: 1n, max: 40n })
    fc.assert(
      fc.property(anySmall, anySmall, upToBits(6), fc.boolean(), (a, b, liquidity, roundUp) => {
        const [x, y, l] = [toJsbi(a), toJsbi(b), toJsbi(liquidity)]
        expect(getAmount0Delta(a, b, liquidity, roundUp)).toBe(
          fromJsbi(SqrtPriceMath.getAmount0Delta(x, y, l, roundUp)),
        )
      }),
      { numRuns: 2000 },
    )
  })

  test('rounding up adds at most one unit', () => {
    fc.assert(
      fc.property(anySqrtPrice, anySqrtPrice, anyLiquidity, (a, b, liquidity) => {
        for (const delta of [getAmount0Delta, getAmount1Delta]) {
          const difference = delta(a, b, liquidity, true) - delta(a, b, liquidity, false)
          expect(difference === 0n || difference === 1n).toBe(true)
        }
      }),
    )
  })

  test('refuse a price of 0 and a liquidity beyond 128 bits', () => {
    for (const delta of [getAmount0Delta, getAmount1Delta]) {
      expect(() => delta(0n, 1n, 1n, true)).toThrow(expect.objectContaining({ code: 'SQRT_PRICE_OUT_OF_RANGE' }))
      expect(() => delta(1n, 2n, -1n, true)).toThrow(expect.objectContaining({ code: 'LIQUIDITY_OUT_OF_RANGE' }))
      expect(() => delta(1n, 2n, 2n ** 128n, true)).toThrow(expect.objectContaining({ code: 'LIQUIDITY_OUT_OF_RANGE' }))
    }
  })
})

describe('next sqrt price', () => {
  const positiveLiquidity = anyLiquidity.map((liquidity) => liquidity + 1n).filter((l) => l < 2n ** 128n)

  test('from an input equals the oracle, refusals beyond 160 bits aside', () => {
    fc.assert(
      fc.property(anySqrtPrice, positiveLiquidity, anyAmount, fc.boolean(), (price, liquidity, amount, zeroForOne) => {
        const own = outcome(() => getNextSqrtPriceFromInput(price, liquidity, amount, zeroForOne))
        const theirs = outcome(() =>
          fromJsbi(
            SqrtPriceMath.getNextSqrtPriceFromInput(toJsbi(price), toJsbi(liquidity), toJsbi(amount), zeroForOne),
          ),
        )
        // The contracts refuse a price beyond 160 bits; the oracle lets it pass.
        expect(own).toBe(theirs !== 'throws' && theirs >= 2n ** 160n ? 'throws' : theirs)
      }),
      { numRuns: 3000 },
    )
  })

  test('from an output equals the oracle, refusals beyond 160 bits aside', () => {
    fc.assert(
      fc.property(anySqrtPrice, positiveLiquidity, anyAmount, fc.boolean(), (price, liquidity, amount, zeroForOne) => {
        const own = outcome(() => getNextSqrtPriceFromOutput(price, liquidity, amount, zeroForOne))
        const theirs = outcome(() =>
          fromJsbi(
            SqrtPriceMath.getNextSqrtPriceFromOutput(toJsbi(price), toJsbi(liquidity), toJsbi(amount), zeroForOne),
          ),
        )
        expect(own).toBe(theirs !== 'throws' && theirs >= 2n ** 160n ? 'throws' : theirs)
      }),
      { numRuns: 3000 },
    )
  })

  test('follows the coarser formula where the product exceeds 256 bits', () => {
    fc.assert(
      fc.property(upToBits(120), fc.bigInt({ min: 2n ** 127n, max: 2n ** 128n - 1n }), (below, liquidity) => {
        const price = 2n ** 159n - below
        const amount = 2n ** 110n - (below >> 20n)
        expect(getNextSqrtPriceFromInput(price, liquidity, amount, true)).toBe(
          fromJsbi(SqrtPriceMath.getNextSqrtPriceFromInput(toJsbi(price), toJsbi(liquidity), toJsbi(amount), true)),
        )
      }),
    )
  })

  test('an input never moves the price farther than it pays for, an output never less than it takes', () => {
    fc.assert(
      fc.property(anySqrtPrice, positiveLiquidity, upToBits(100), fc.boolean(), (price, liquidity, amount, down) => {
        const paidIn = outcome(() => getNextSqrtPriceFromInput(price, liquidity, amount, down))
        const needed = down ? getAmount0Delta : getAmount1Delta
        expect(paidIn === 'throws' || needed(price, paidIn, liquidity, true) <= amount).toBe(true)
        const takenOut = outcome(() => getNextSqrtPriceFromOutput(price, liquidity, amount, down))
        const given = down ? getAmount1Delta : getAmount0Delta
        expect(takenOut === 'throws' || given(price, takenOut, liquidity, false) >= amount).toBe(true)
      }),
    )
  })

  test('refuses 0 liquidity, a negative amount, and more than there is', () => {
    const price = 2n ** 96n
    for (const next of [getNextSqrtPriceFromInput, getNextSqrtPriceFromOutput]) {
      expect(() => next(price, 0n, 1n, true)).toThrow(expect.objectContaining({ code: 'LIQUIDITY_OUT_OF_RANGE' }))
      expect(() => next(price, 1n, -1n, true)).toThrow(expect.objectContaining({ code: 'AMOUNT_NEGATIVE' }))
      expect(() => next(0n, 1n, 1n, true)).toThrow(expect.objectContaining({ code: 'SQRT_PRICE_OUT_OF_RANGE' }))
    }
    const refusal = expect.objectContaining({ code: 'RESERVES_INSUFFICIENT' })
    expect(() => getNextSqrtPriceFromOutput(price, 1000n, 1000n, true)).toThrow(refusal)
    expect(() => getNextSqrtPriceFromOutput(price, 1000n, 1000n, false)).toThrow(refusal)
  })
})
