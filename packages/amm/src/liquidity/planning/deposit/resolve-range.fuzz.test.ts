import { fullRangeTicks, invertTicks, priceFromTick } from '@svc/lp-math'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestTick, type RangeOptions, resolveRange } from './resolve-range.ts'

const decimals = fc.constantFrom(0, 6, 8, 18)
const spacing = fc.constantFrom(1, 10, 60, 200)
const tick = fc.integer({ min: -600_000, max: 600_000 })

describe('nearestTick', () => {
  it('finds the tick a price was read from', () => {
    fc.assert(
      fc.property(tick, decimals, decimals, (known, decimals0, decimals1) => {
        expect(nearestTick(priceFromTick(known, decimals0, decimals1), decimals0, decimals1)).toBe(known)
      }),
    )
  })

  it('is never more than half a tick away', () => {
    fc.assert(
      fc.property(tick, fc.double({ min: 0, max: 1, noNaN: true }), (known, part) => {
        const price = priceFromTick(known, 18, 6) * 1.0001 ** part
        const away = Math.abs(Math.log(price / priceFromTick(nearestTick(price, 18, 6), 18, 6)) / Math.log(1.0001))
        expect(away).toBeLessThanOrEqual(0.5 + 1e-6)
      }),
    )
  })
})

describe('resolveRange', () => {
  it('snaps each bound to the nearest usable tick', () => {
    fc.assert(
      fc.property(tick, tick, spacing, decimals, decimals, (a, b, tickSpacing, decimals0, decimals1) => {
        fc.pre(Math.abs(a - b) > 2 * tickSpacing)
        const [lower, upper] = a < b ? [a, b] : [b, a]
        const range = {
          priceLower: priceFromTick(lower, decimals0, decimals1),
          priceUpper: priceFromTick(upper, decimals0, decimals1),
        }
        const currentPrice = priceFromTick(700_000, decimals0, decimals1)
        const options = { range, tickSpacing, currentPrice, decimals0, decimals1 }
        const ticks = resolveRange({ ...options, inverted: false })
        expect(ticks.tickLower % tickSpacing === 0 && ticks.tickUpper % tickSpacing === 0).toBe(true)
        expect(Math.abs(ticks.tickLower - lower)).toBeLessThanOrEqual(tickSpacing / 2)
        expect(Math.abs(ticks.tickUpper - upper)).toBeLessThanOrEqual(tickSpacing / 2)
        expect(resolveRange({ ...options, inverted: true })).toEqual(invertTicks(ticks))
      }),
    )
  })

  it('means the same range whichever token comes first', () => {
    fc.assert(
      fc.property(tick, fc.integer({ min: 500, max: 50_000 }), spacing, (lower, width, tickSpacing) => {
        const prices = [priceFromTick(lower, 18, 6), priceFromTick(lower + width, 18, 6)] as const
        const one = resolveRange({
          ...base,
          tickSpacing,
          range: { priceLower: prices[0], priceUpper: prices[1] },
          inverted: false,
        })
        const two = resolveRange({
          ...base,
          tickSpacing,
          range: { priceLower: 1 / prices[1], priceUpper: 1 / prices[0] },
          inverted: true,
          decimals0: 6,
          decimals1: 18,
        })
        // A bound halfway between two usable ticks goes up in either order: then the two differ by one step.
        expect(Math.abs(one.tickLower - two.tickLower) % tickSpacing).toBe(0)
        expect(Math.abs(one.tickLower - two.tickLower)).toBeLessThanOrEqual(
          isHalfway(lower, tickSpacing) ? tickSpacing : 0,
        )
        expect(Math.abs(one.tickUpper - two.tickUpper)).toBeLessThanOrEqual(
          isHalfway(lower + width, tickSpacing) ? tickSpacing : 0,
        )
      }),
    )
  })

  it('holds the price where the bounds asked for do, and then moves a bound by less than a step, and outward', () => {
    const room = fc.double({ min: 0.001, max: 300, noNaN: true })
    fc.assert(
      fc.property(tick, fc.double({ min: 0, max: 1, noNaN: true }), room, room, spacing, fc.boolean(), (...drawn) => {
        const [at, part, below, above, tickSpacing, inverted] = drawn
        const currentPrice = priceFromTick(at, 18, 6) * 1.0001 ** part
        const [priceLower, priceUpper] = [currentPrice / 1.0001 ** below, currentPrice * 1.0001 ** above]
        fc.pre(below + above > 2 * tickSpacing)
        const options = { ...base, tickSpacing, currentPrice, range: { priceLower, priceUpper }, inverted }
        const found = resolveRange(options)
        const { tickLower, tickUpper } = inverted ? invertTicks(found) : found
        const prices = [tickLower, tickUpper].map((bound) => priceFromTick(bound, 18, 6))
        expect(prices[0]).toBeLessThan(currentPrice)
        expect(prices[1]).toBeGreaterThan(currentPrice)
        for (const [bound, asked] of [
          [tickLower, priceLower],
          [tickUpper, priceUpper],
        ] as const) {
          const away = bound - Math.log(asked * 1e-12) / Math.log(1.0001)
          const isNearest = Math.abs(away) <= tickSpacing / 2 + 0.51
          const isOutward = bound === tickLower ? away < 0 : away > 0
          expect(bound % tickSpacing === 0 && (isNearest || (isOutward && Math.abs(away) <= tickSpacing + 0.51))).toBe(
            true,
          )
        }
      }),
    )
  })

  it.each([false, true])('takes a bound at the price itself as it is, inverted: %s', (inverted) => {
    const [lower, at, upper] = [-120, 0, 120].map((bound) => priceFromTick(bound, 18, 6))
    const ticksOf = (priceLower: number, priceUpper: number) => {
      const options = { ...base, currentPrice: at! * (1 + 3e-16), tickSpacing: 60, inverted }
      const ticks = resolveRange({ ...options, range: { priceLower, priceUpper } })
      return inverted ? invertTicks(ticks) : ticks
    }
    expect(ticksOf(lower!, at!)).toEqual({ tickLower: -120, tickUpper: 0 })
    expect(ticksOf(at!, upper!)).toEqual({ tickLower: 0, tickUpper: 120 })
    // Just beyond it they hold the price, and so does what is used.
    expect(ticksOf(lower!, at! * 1.001)).toEqual({ tickLower: -120, tickUpper: 60 })
    expect(ticksOf(at! * 0.999, upper!)).toEqual({ tickLower: -60, tickUpper: 120 })
  })

  it('reaches the asked percentage to each side of the price', () => {
    fc.assert(
      fc.property(tick, fc.constantFrom(5, 15, 50), (at, pctEachSide) => {
        const currentPrice = priceFromTick(at, 18, 6)
        const ticks = resolveRange({ ...base, currentPrice, range: { pctEachSide }, tickSpacing: 10, inverted: false })
        const reach = (bound: number) => priceFromTick(bound, 18, 6) / currentPrice
        expect(reach(ticks.tickLower)).toBeCloseTo(1 - pctEachSide / 100, 2)
        expect(reach(ticks.tickUpper)).toBeCloseTo(1 + pctEachSide / 100, 2)
      }),
    )
  })

  it.each([false, true])('reaches to the end of all prices at 0 and Infinity, inverted: %s', (inverted) => {
    const all = fullRangeTicks(60)
    const rangeOf = (priceLower: number, priceUpper: number) => {
      const range = { priceLower, priceUpper }
      const ticks = resolveRange({ ...base, decimals1: 18, tickSpacing: 60, range, inverted })
      return inverted ? invertTicks(ticks) : ticks
    }
    expect(rangeOf(0, Infinity)).toEqual(all)
    expect(rangeOf(0, 1)).toEqual({ tickLower: all.tickLower, tickUpper: 0 })
    expect(rangeOf(1, Infinity)).toEqual({ tickLower: 0, tickUpper: all.tickUpper })
  })

  it.each([
    [null, 'priceLower'],
    [{ priceLower: 2, priceUpper: 2 }, 'priceUpper'],
    [{ priceLower: 3, priceUpper: 2 }, 'priceUpper'],
    [{ priceLower: Number.NaN, priceUpper: 2 }, 'priceUpper'],
    [{ priceLower: -1, priceUpper: 2 }, 'priceLower'],
    [{ priceLower: 1, priceUpper: 1e60 }, 'priceUpper'],
    [{ priceLower: 1, priceUpper: 1.001 }, 'priceUpper'],
    [{ pctEachSide: 0 }, 'rangeStrategy'],
    [{ pctEachSide: 100 }, 'rangeStrategy'],
    [{ pctEachSide: 0.01 }, 'priceUpper'],
  ] as const)('refuses %j, naming %s', (range, field) => {
    const options = { ...base, range, currentPrice: 1, decimals1: 18, tickSpacing: 60, inverted: false }
    expect(() => resolveRange(options)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED', details: [expect.objectContaining({ field })] }),
    )
  })
})

const base: Omit<RangeOptions, 'range' | 'tickSpacing' | 'inverted'> = { currentPrice: 1, decimals0: 18, decimals1: 6 }

function isHalfway(tick: number, tickSpacing: number): boolean {
  return Math.abs(tick % tickSpacing) * 2 === tickSpacing
}
