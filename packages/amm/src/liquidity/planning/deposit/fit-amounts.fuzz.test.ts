import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitAmounts } from './fit-amounts.ts'

const fields = { amount0: 'first', amount1: 'second' }

/** A range, and a price inside it strictly. */
const inRange = fc
  .record({
    tickLower: fc.integer({ min: -150_000, max: 100_000 }),
    width: fc.integer({ min: 2, max: 50_000 }),
    place: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  })
  .map(({ tickLower, width, place }) => {
    const [lower, upper] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickLower + width)]
    const sqrtPriceX96 = lower + BigInt(Math.floor(place * 1e9)) * ((upper - lower) / 1_000_000_000n)
    return { sqrtPriceX96, sqrtPriceAX96: lower, sqrtPriceBX96: upper }
  })

const amount = fc.bigInt({ min: 10n ** 20n, max: 10n ** 26n })

describe('fitAmounts inside the range', () => {
  it('never takes more than was given, and one more unit of liquidity would', () => {
    fc.assert(
      fc.property(inRange, amount, amount, (range, amount0, amount1) => {
        const fitted = fitAmounts({ ...range, amount0, amount1, fields })
        expect(fitted.amount0 <= amount0 && fitted.amount1 <= amount1).toBe(true)
        // The contracts round the liquidity of token0 down by up to one part in 2^96 of a price: allow a few units.
        const more = cost(range, fitted.liquidity + fitted.liquidity / 10n ** 9n + 2n)
        expect(more.amount0 > amount0 || more.amount1 > amount1).toBe(true)
      }),
    )
  })

  it('finds the missing amount on either side: both together are the ratio of the range', () => {
    fc.assert(
      fc.property(inRange, amount, (range, given) => {
        const from0 = fitAmounts({ ...range, amount0: given, amount1: null, fields })
        fc.pre(from0.amount1 > 10n ** 6n)
        const from1 = fitAmounts({ ...range, amount0: null, amount1: from0.amount1, fields })
        expect(closeness(from1.amount0, from0.amount0)).toBeLessThan(1e-5)
        expect(from0).toMatchObject(cost(range, from0.liquidity))

        const [price, lower, upper] = [range.sqrtPriceX96, range.sqrtPriceAX96, range.sqrtPriceBX96].map(
          (sqrtPriceX96) => Number(sqrtPriceX96) / 2 ** 96,
        ) as [number, number, number]
        const ratio = ((price - lower) * price * upper) / (upper - price)
        expect(Number(from0.amount1) / Number(from0.amount0) / ratio).toBeCloseTo(1, 4)
      }),
    )
  })

  it('is the smaller of what either amount buys alone', () => {
    fc.assert(
      fc.property(inRange, amount, amount, (range, amount0, amount1) => {
        const both = fitAmounts({ ...range, amount0, amount1, fields }).liquidity
        const alone = [
          fitAmounts({ ...range, amount0, amount1: null, fields }).liquidity,
          fitAmounts({ ...range, amount0: null, amount1, fields }).liquidity,
        ]
        expect(both).toBe(alone[0]! < alone[1]! ? alone[0] : alone[1])
      }),
    )
  })
})

describe('fitAmounts beside the range', () => {
  const [low, mid, high] = [-6000, 0, 6000].map(getSqrtPriceAtTick) as [bigint, bigint, bigint]
  const below = { sqrtPriceX96: low, sqrtPriceAX96: mid, sqrtPriceBX96: high, fields }
  const above = { sqrtPriceX96: high, sqrtPriceAX96: low, sqrtPriceBX96: mid, fields }

  it('takes token0 alone below and token1 alone above, the bounds themselves included', () => {
    for (const range of [below, { ...below, sqrtPriceX96: mid }]) {
      expect(fitAmounts({ ...range, amount0: 10n ** 18n, amount1: null }).amount1).toBe(0n)
      expect(fitAmounts({ ...range, amount0: 10n ** 18n, amount1: 0n }).amount1).toBe(0n)
    }
    for (const range of [above, { ...above, sqrtPriceX96: mid }]) {
      expect(fitAmounts({ ...range, amount0: null, amount1: 10n ** 18n }).amount0).toBe(0n)
      expect(fitAmounts({ ...range, amount0: 0n, amount1: 10n ** 18n }).amount0).toBe(0n)
    }
  })

  it.each([
    [below, 1n, 1n, 'second'],
    [above, 1n, 1n, 'first'],
    [below, null, 0n, 'first'],
    [above, 0n, null, 'second'],
  ] as const)('refuses what cannot be used or is missing (%#)', (range, amount0, amount1, field) => {
    expect(() => fitAmounts({ ...range, amount0, amount1 })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED', details: [expect.objectContaining({ field })] }),
    )
  })

  it('refuses amounts that buy nothing, and amounts that no pool can hold', () => {
    const inside = { ...below, sqrtPriceX96: (mid + high) / 2n }
    const tooSmall = (field: string) =>
      expect.objectContaining({ code: 'AMOUNT_TOO_SMALL', details: [expect.objectContaining({ field })] })
    expect(() => fitAmounts({ ...inside, amount0: 0n, amount1: null })).toThrow(tooSmall('first'))
    expect(() => fitAmounts({ ...inside, amount0: 10n ** 18n, amount1: 0n })).toThrow(tooSmall('second'))
    expect(() => fitAmounts({ ...inside, amount0: 2n ** 200n, amount1: null })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED', details: [expect.objectContaining({ field: 'first' })] }),
    )
  })
})

function cost(range: { sqrtPriceX96: bigint; sqrtPriceAX96: bigint; sqrtPriceBX96: bigint }, liquidity: bigint) {
  return getAmountsForLiquidity(range.sqrtPriceX96, range.sqrtPriceAX96, range.sqrtPriceBX96, liquidity, true)
}

function closeness(a: bigint, b: bigint): number {
  return Math.abs(Number(a - b)) / Number(b)
}
