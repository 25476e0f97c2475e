import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatAmount } from '../amounts/amounts.ts'
import {
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
} from '../ticks/ticks.ts'
import { anySqrtPrice, anyTick, fromJsbi, outcome, sdk, sdkCore, upToBits } from '../v3-sdk.fixture.ts'
import {
  invertRange,
  priceFromSqrtPrice,
  priceFromTick,
  sqrtPriceFromAmounts,
  sqrtPriceFromPrice,
  tickFromPrice,
} from './prices.ts'

const anyDecimals = fc.integer({ min: 0, max: 36 })

describe('price from sqrt price', () => {
  test('equals the oracle to 15 digits over the whole range', () => {
    fc.assert(
      fc.property(anyTick, anyDecimals, anyDecimals, (tick, decimals0, decimals1) => {
        const base = new sdkCore.Token(1, `0x${'0'.repeat(39)}1`, decimals0)
        const quote = new sdkCore.Token(1, `0x${'0'.repeat(39)}2`, decimals1)
        const theirs = Number(sdk.tickToPrice(base, quote, tick).toSignificant(17))
        expect(Math.abs(priceFromTick(tick, decimals0, decimals1) / theirs - 1)).toBeLessThan(1e-15)
      }),
      { numRuns: 1000 },
    )
  })

  test('is exact where the price is a simple number', () => {
    expect(priceFromSqrtPrice(2n ** 96n, 18, 18)).toBe(1)
    expect(priceFromSqrtPrice(2n ** 97n, 18, 18)).toBe(4)
    expect(priceFromSqrtPrice(2n ** 96n, 18, 6)).toBe(1e12)
    expect(priceFromSqrtPrice(2n ** 96n, 6, 18)).toBe(1e-12)
  })

  test('never overflows or vanishes, whatever the decimals', () => {
    for (const [tick, decimals0, decimals1] of [
      [MAX_TICK, 255, 0],
      [MIN_TICK, 0, 255],
    ] as const) {
      const price = priceFromTick(tick, decimals0, decimals1)
      expect(Number.isFinite(price) && price > 0).toBe(true)
    }
  })

  test('rises with the sqrt price, and inverts with the order of the tokens', () => {
    fc.assert(
      fc.property(anySqrtPrice, anyDecimals, anyDecimals, (sqrtPriceX96, decimals0, decimals1) => {
        const price = priceFromSqrtPrice(sqrtPriceX96, decimals0, decimals1)
        expect(priceFromSqrtPrice(sqrtPriceX96 + sqrtPriceX96 / 10n ** 9n + 1n, decimals0, decimals1)).toBeGreaterThan(
          price,
        )
      }),
    )
  })

  test('refuses decimals no token can have', () => {
    for (const decimals of [-1, 256, 1.5, Number.NaN]) {
      expect(() => priceFromSqrtPrice(2n ** 96n, decimals, 18)).toThrow(
        expect.objectContaining({ code: 'DECIMALS_OUT_OF_RANGE' }),
      )
    }
  })
})

describe('sqrt price from price', () => {
  test('goes back to the same number', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (price) => {
        const back = priceFromSqrtPrice(sqrtPriceFromPrice(price, 18, 18), 18, 18)
        expect(Math.abs(back / price - 1)).toBeLessThan(1e-15)
      }),
    )
  })

  test('text and number of the same value agree', () => {
    expect(sqrtPriceFromPrice('3000.5', 18, 6)).toBe(sqrtPriceFromPrice(3000.5, 18, 6))
    expect(sqrtPriceFromPrice('0.0000001', 18, 6)).toBe(sqrtPriceFromPrice(1e-7, 18, 6))
    expect(sqrtPriceFromPrice('1', 18, 18)).toBe(2n ** 96n)
  })

  test('refuses a price no pool can have', () => {
    const refusal = expect.objectContaining({ code: 'PRICE_OUT_OF_RANGE' })
    for (const price of [1e-40, 1e40, 0, '0']) expect(() => sqrtPriceFromPrice(price, 18, 18)).toThrow(refusal)
    expect(() => sqrtPriceFromPrice('1e3', 18, 18)).toThrow(expect.objectContaining({ code: 'PRICE_MALFORMED' }))
  })
})

describe('tick from price', () => {
  test('equals the oracle on exact decimals', () => {
    fc.assert(
      fc.property(
        upToBits(110),
        fc.integer({ min: 0, max: 30 }),
        anyDecimals,
        anyDecimals,
        (digits, places, d0, d1) => {
          const text = digits.toString().padStart(places + 1, '0')
          const price = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
          const base = new sdkCore.Token(1, `0x${'0'.repeat(39)}1`, d0)
          const quote = new sdkCore.Token(1, `0x${'0'.repeat(39)}2`, d1)
          const numerator = (digits * 10n ** BigInt(d1)).toString()
          const denominator = (10n ** BigInt(places) * 10n ** BigInt(d0)).toString()
          const theirs = outcome(() => sdk.priceToClosestTick(new sdkCore.Price(base, quote, denominator, numerator)))
          expect(outcome(() => tickFromPrice(price, d0, d1))).toBe(theirs)
        },
      ),
      { numRuns: 1500 },
    )
  })

  test('turns at the exact price of a tick', () => {
    fc.assert(
      fc.property(anyTick, (tick) => {
        fc.pre(Math.abs(tick) < 200_000)
        const square = getSqrtPriceAtTick(tick) ** 2n
        // The price at a tick is a fraction over 2^192: it has a finite decimal form of 192 places. 110 tell the ticks apart.
        const places = (square * 10n ** 110n) / 2n ** 192n
        expect(tickFromPrice(formatAmount(places + 1n, 110), 18, 18)).toBe(tick)
        expect(tickFromPrice(formatAmount(places - 1n, 110), 18, 18)).toBe(tick - 1)
      }),
      { numRuns: 1000 },
    )
  })

  test('takes the two ends and nothing beyond', () => {
    expect(tickFromPrice('1', 18, 18)).toBe(0)
    expect(tickFromPrice(0.9999, 18, 18)).toBe(-2)
    const refusal = expect.objectContaining({ code: 'PRICE_OUT_OF_RANGE' })
    const priceOf = (sqrtPriceX96: bigint) => formatAmount((sqrtPriceX96 ** 2n * 10n ** 110n) / 2n ** 192n + 1n, 110)
    expect(tickFromPrice(priceOf(MAX_SQRT_PRICE), 18, 18)).toBe(MAX_TICK)
    expect(tickFromPrice(priceOf(MIN_SQRT_PRICE), 18, 18)).toBe(MIN_TICK)
    expect(() => tickFromPrice(priceOf(MAX_SQRT_PRICE + 1n), 18, 18)).toThrow(refusal)
    expect(() => tickFromPrice(priceOf(MIN_SQRT_PRICE - 1n), 18, 18)).toThrow(refusal)
    expect(() => tickFromPrice(1e39, 18, 18)).toThrow(refusal)
    expect(() => tickFromPrice(1e-39, 18, 18)).toThrow(refusal)
  })

  test('is at most one tick below the tick whose rounded price it is given', () => {
    fc.assert(
      fc.property(anyTick, (tick) => {
        fc.pre(tick > MIN_TICK && tick < MAX_TICK)
        const back = tickFromPrice(priceFromTick(tick, 18, 6), 18, 6)
        expect(back === tick || back === tick - 1).toBe(true)
      }),
    )
  })
})

describe('sqrt price from amounts', () => {
  test('equals the oracle within the bounds of a pool', () => {
    fc.assert(
      fc.property(upToBits(128), upToBits(128), (amount1, amount0) => {
        const own = outcome(() => sqrtPriceFromAmounts({ amount0, amount1 }))
        if (own === 'throws') return
        expect(own).toBe(fromJsbi(sdk.encodeSqrtRatioX96(amount1.toString(), amount0.toString())))
        expect(() => getTickAtSqrtPrice(own)).not.toThrow()
      }),
      { numRuns: 1000 },
    )
  })

  test('refuses amounts of 0 and prices out of bounds', () => {
    const refusal = expect.objectContaining({ code: 'PRICE_OUT_OF_RANGE' })
    for (const [a, b] of [
      [0n, 1n],
      [1n, 0n],
      [-1n, -1n],
      [1n, 2n ** 200n],
      [2n ** 200n, 1n],
    ] as const) {
      expect(() => sqrtPriceFromAmounts({ amount0: b, amount1: a })).toThrow(refusal)
    }
  })
})

describe('the other order of the tokens', () => {
  test('a range inverted twice is itself, and its bounds stay in order', () => {
    fc.assert(
      fc.property(anyTick, anyTick, (a, b) => {
        const [tickLower, tickUpper] = a < b ? [a, b] : [b, a]
        const range = {
          tickLower,
          tickUpper,
          priceLower: priceFromTick(tickLower, 18, 6),
          priceUpper: priceFromTick(tickUpper, 18, 6),
        }
        const inverted = invertRange(range)
        expect(inverted.tickLower).toBe(tickUpper === 0 ? 0 : -tickUpper)
        expect(inverted.tickUpper).toBe(tickLower === 0 ? 0 : -tickLower)
        expect(inverted.priceLower).toBeLessThanOrEqual(inverted.priceUpper)
        // The contracts' price at a tick carries a relative error of up to 2^-32 at the lowest ticks.
        expect(Math.abs(inverted.priceLower / priceFromTick(inverted.tickLower, 6, 18) - 1)).toBeLessThan(1e-9)
        const back = invertRange(inverted)
        expect(back.tickLower).toBe(tickLower)
        expect(back.tickUpper).toBe(tickUpper)
      }),
    )
  })

  test('a full range keeps 0 and Infinity', () => {
    const full = { tickLower: MIN_TICK, tickUpper: MAX_TICK, priceLower: 0, priceUpper: Number.POSITIVE_INFINITY }
    expect(invertRange(full)).toEqual(full)
  })
})
