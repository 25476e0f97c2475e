import { describe, expect, test } from 'vitest'
import { CASES, SENSELESS } from './closed-form.fixture.ts'
import { expectedExitYears, stayInRangeProbability, terminalInRangeProbability } from './stay-in-range-probability.ts'
import type { PriceBounds } from './price-model.ts'
import { timeInRange } from './occupation.ts'

const FULL = { lower: 0, upper: Number.POSITIVE_INFINITY }
const MONTH = { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 }

describe('probabilities of a range', () => {
  test('of 30 days at 80 % volatility, as measured elsewhere', () => {
    const tenPercent = { lower: 0.9, upper: 1.1 }
    expect(timeInRange(tenPercent, MONTH)).toBeCloseTo(0.52819, 5)
    expect(stayInRangeProbability(tenPercent, MONTH)).toBeCloseTo(0.00201, 5)
    expect(stayInRangeProbability({ lower: 0.75, upper: 1.25 }, MONTH)).toBeCloseTo(0.4661, 4)
    // Half the width, in the logarithm, that gives 80 % in each of the three meanings.
    expect(terminalInRangeProbability(around(0.296), MONTH)).toBeCloseTo(0.8, 2)
    expect(timeInRange(around(0.2), MONTH)).toBeCloseTo(0.8, 2)
    expect(stayInRangeProbability(around(0.379), MONTH)).toBeCloseTo(0.8, 2)
  })

  test('images and eigenfunctions are one number where they meet', () => {
    for (const drift of [-2, 0, 0.3, 3]) {
      const model = { price: 1, sigma: 1, drift, years: 1 }
      const nearly = stayInRangeProbability({ lower: Math.exp(-0.7), upper: Math.exp(1.3 - 1e-13) }, model)
      const just = stayInRangeProbability({ lower: Math.exp(-0.7), upper: Math.exp(1.3 + 1e-13) }, model)
      expect(Math.abs(nearly - just)).toBeLessThan(1e-12)
    }
  })

  test.each(CASES)(
    'to stay lies below the probability at the horizon and the share of time: %s',
    (_, bounds, model) => {
      const stay = stayInRangeProbability(bounds, model)
      expect(stay).toBeGreaterThanOrEqual(0)
      expect(stay).toBeLessThanOrEqual(terminalInRangeProbability(bounds, model))
      expect(stay).toBeLessThanOrEqual(timeInRange(bounds, model))
    },
  )

  test.each(CASES)('are the same in the order of the other token, under its measure: %s', (_, bounds, model) => {
    // 1/S moves with drift sigma² - drift.
    const mirrored = { lower: 1 / bounds.upper, upper: 1 / bounds.lower }
    const mirror = { ...model, price: 1 / model.price, drift: model.sigma ** 2 - model.drift }
    if (Math.abs(mirror.drift) > 10) return
    for (const probability of [timeInRange, terminalInRangeProbability, stayInRangeProbability]) {
      expect(Math.abs(probability(mirrored, mirror) - probability(bounds, model))).toBeLessThan(1e-10)
    }
  })

  test('mean time to leave: x(w - x)/sigma² without drift of the logarithm, endless where nothing leads out', () => {
    const even = { price: 1, sigma: 0.4, drift: 0.08, years: 1 }
    expect(expectedExitYears(around(0.2), even)).toBeCloseTo(0.04 / 0.16, 12)
    expect(expectedExitYears({ lower: 0, upper: Math.exp(0.1) }, { ...even, drift: 0.18 })).toBeCloseTo(1, 12)
    expect(expectedExitYears({ lower: 0, upper: 1.1 }, { ...even, drift: 0 })).toBe(Number.POSITIVE_INFINITY)
    expect(expectedExitYears(FULL, even)).toBe(Number.POSITIVE_INFINITY)
    expect(expectedExitYears({ lower: 1.1, upper: 1.2 }, even)).toBe(0)
    expect(expectedExitYears(around(0.2), { ...even, sigma: 0, drift: 0 })).toBe(Number.POSITIVE_INFINITY)
    expect(expectedExitYears(around(0.2), { ...even, sigma: 0, drift: -0.1 })).toBeCloseTo(2, 12)
  })

  test('over the full range are 1; without volatility those of the one path', () => {
    for (const probability of [timeInRange, terminalInRangeProbability, stayInRangeProbability]) {
      for (const sigma of [0, 0.01, 0.8, 5]) expect(probability(FULL, { ...MONTH, sigma })).toBeCloseTo(1, 12)
      expect(probability(around(0.1), { ...MONTH, sigma: 0 })).toBe(1)
      expect(probability({ lower: 1.1, upper: 1.2 }, { ...MONTH, sigma: 0 })).toBe(0)
      expect(probability({ lower: 1, upper: 1.2 }, { ...MONTH, sigma: 0 })).toBe(1)
      expect(probability({ lower: 0.8, upper: 1 }, { ...MONTH, sigma: 0 })).toBe(0)
    }
    const rising = { price: 1, sigma: 0, drift: 0.4, years: 1 }
    expect(timeInRange(around(0.1), rising)).toBeCloseTo(0.25, 14)
    expect(timeInRange({ lower: Math.exp(0.1), upper: Math.exp(0.3) }, rising)).toBeCloseTo(0.5, 14)
    expect(timeInRange(around(0.1), { ...rising, drift: -0.4 })).toBeCloseTo(0.25, 14)
    expect(timeInRange(around(0.1), { ...rising, sigma: 1e-11 })).toBeCloseTo(0.25, 9)
    expect(timeInRange(around(0.1), { ...rising, sigma: 1e-309 })).toBeCloseTo(0.25, 14)
    expect(timeInRange(around(0.1), { ...rising, drift: 0.05 })).toBe(1)
    expect(stayInRangeProbability(around(0.1), rising)).toBe(0)
  })

  test.each(SENSELESS)('refuse %o', (change, code) => {
    const all = { lower: 0.9, upper: 1.1, ...MONTH, ...change }
    for (const f of [timeInRange, terminalInRangeProbability, stayInRangeProbability, expectedExitYears]) {
      expect(() => f(all, all)).toThrow(expect.objectContaining({ code }))
    }
  })
})

function around(half: number): PriceBounds {
  return { lower: Math.exp(-half), upper: Math.exp(half) }
}
