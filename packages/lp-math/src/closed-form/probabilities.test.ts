import { describe, expect, test } from 'vitest'
import { normalCdf } from '../normal/normal-cdf.ts'
import { addSample, CASES, quadrature, randomPaths, SENSELESS, standardErrorsFrom } from './closed-form.fixture.ts'
import { expectedExitYears } from './expected-exit-years.ts'
import type { PriceBounds } from './price-bounds.ts'
import type { PriceModel } from './price-model.ts'
import { stayInRangeProbability } from './stay-in-range-probability.ts'
import { terminalInRangeProbability } from './terminal-in-range-probability.ts'
import { timeInRange } from './time-in-range.ts'

const FULL = { lower: 0, upper: Number.POSITIVE_INFINITY }
const MONTH = { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 }

describe('probabilities of a range', () => {
  test.each(CASES)('share of time equals quadrature over the time: %s', (_, bounds, model) => {
    expect(Math.abs(timeInRange(bounds, model) - timeByQuadrature(bounds, model))).toBeLessThan(1e-11)
  })

  test.each(CASES)('probability at the horizon equals the difference of the distribution: %s', (_, bounds, model) => {
    const expected = below(bounds.upper, model, model.years) - below(bounds.lower, model, model.years)
    expect(Math.abs(terminalInRangeProbability(bounds, model) - expected)).toBeLessThan(1e-12)
  })

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

  test('of random paths agree within four standard errors', () => {
    const [bounds, model] = [
      { lower: 2500, upper: 3300 },
      { price: 3000, sigma: 0.6, drift: 0.4, years: 0.1 },
    ]
    const [paths, steps] = [20_000, 64]
    const [time, end, stay]: [Sums, Sums, Sums] = [
      [0, 0],
      [0, 0],
      [0, 0],
    ]
    for (const prices of randomPaths(model, { paths, steps, seed: 5 })) {
      const inside = prices.reduce((sum, price) => sum + within(price, bounds), 0)
      const ends = (within(prices[0]!, bounds) + within(prices[steps]!, bounds)) / 2
      addSample(time, (inside - ends) / steps)
      addSample(end, within(prices[steps]!, bounds))
      addSample(stay, survival(prices, bounds, (model.sigma ** 2 * model.years) / steps))
    }
    expect(standardErrorsFrom(timeInRange(bounds, model), time, paths)).toBeLessThan(4)
    expect(standardErrorsFrom(terminalInRangeProbability(bounds, model), end, paths)).toBeLessThan(4)
    expect(standardErrorsFrom(stayInRangeProbability(bounds, model), stay, paths)).toBeLessThan(4)
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

  test('mean time to leave is the integral of the probability to stay', () => {
    for (const drift of [0, 0.045, 0.0450001, 0.5, -1]) {
      const [bounds, model] = [
        { lower: 0.8, upper: 1.1 },
        { price: 1, sigma: 0.3, drift },
      ]
      const stays = (root: number): number =>
        2 * root * stayInRangeProbability(bounds, { ...model, years: root * root })
      const mean = quadrature(stays, [1e-4, 0.1, 0.5, 1, 2, 3])
      expect(Math.abs(expectedExitYears(bounds, { ...model, years: 1 }) / (mean + 1e-8) - 1)).toBeLessThan(1e-9)
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

type Sums = [number, number]

function around(half: number): PriceBounds {
  return { lower: Math.exp(-half), upper: Math.exp(half) }
}

function within(price: number, { lower, upper }: PriceBounds): number {
  return price >= lower && price < upper ? 1 : 0
}

/** Probability that the price lies below a bound after some years. */
function below(bound: number, { price, sigma, drift }: PriceModel, years: number): number {
  return normalCdf((Math.log(bound / price) - (drift - sigma ** 2 / 2) * years) / (sigma * Math.sqrt(years)))
}

function timeByQuadrature(bounds: PriceBounds, model: PriceModel): number {
  const end = Math.sqrt(model.years)
  const integrand = (root: number): number =>
    root === 0 ? 0 : 2 * root * (below(bounds.upper, model, root * root) - below(bounds.lower, model, root * root))
  // Where the spread reaches a bound, and where the drift does.
  const logs = [bounds.lower, bounds.upper].map((bound) => Math.log(bound / model.price)).filter(Number.isFinite)
  const speed = Math.abs(model.drift - model.sigma ** 2 / 2)
  const turns = logs.flatMap((log) => {
    const arrival = Math.sqrt(Math.abs(log) / speed)
    const spread = Math.abs(log) / model.sigma
    return [0.05, 0.1, 0.2, 0.5, 1, 2, 5]
      .map((f) => f * spread)
      .concat([0.9, 0.95, 1, 1.05, 1.1].map((f) => f * arrival))
  })
  const even = Array.from({ length: 33 }, (_, k) => (k * end) / 32)
  return (
    quadrature(
      integrand,
      [...even, ...turns.filter((turn) => turn < end)].toSorted((a, b) => a - b),
    ) / model.years
  )
}

/** Probability that the path between the points of a sample touched neither bound: of a bridge, barrier by barrier. */
function survival(prices: Float64Array, { lower, upper }: PriceBounds, variance: number): number {
  let probability = 1
  for (const [index, price] of prices.subarray(1).entries()) {
    const before = prices[index]!
    if (!(within(before, { lower, upper }) && within(price, { lower, upper }))) return 0
    probability *= 1 - Math.exp((-2 * Math.log(upper / before) * Math.log(upper / price)) / variance)
    probability *= 1 - Math.exp((-2 * Math.log(before / lower) * Math.log(price / lower)) / variance)
  }
  return probability
}
