import { describe, expect, test } from 'vitest'
import { addSample, CASES, meanAtHorizon, randomPaths, SENSELESS, standardErrorsFrom } from './closed-form.fixture.ts'
import { expectedIl } from './expected-il.ts'
import { expectedIlOfMeans } from './expected-il-of-means.ts'
import { expectedLvr } from './expected-lvr.ts'
import { expectedPositionValue } from './expected-position-value.ts'
import { hodlValue } from './hodl-value.ts'
import { impermanentLoss } from './impermanent-loss.ts'
import { lvrRate } from './lvr-rate.ts'
import { positionValue } from './position-value.ts'

const FULL = { lower: 0, upper: Number.POSITIVE_INFINITY }
const MONTH = { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 }
const [, ...CASE_OF_PATHS] = CASES[1] ?? []

describe('expected value and loss', () => {
  test.each(CASES)('equal quadrature over the price at the horizon: %s', (_, bounds, model) => {
    const value = meanAtHorizon((price) => positionValue(bounds, price), bounds, model)
    const hodl = meanAtHorizon((price) => hodlValue(bounds, model.price, price), bounds, model)
    const loss = meanAtHorizon((price) => impermanentLoss(bounds, model.price, price), bounds, model)
    expect(Math.abs(expectedPositionValue(bounds, model) / value - 1)).toBeLessThan(5e-12)
    expect(Math.abs(expectedIlOfMeans(bounds, model) - (value / hodl - 1))).toBeLessThan(5e-12)
    expect(Math.abs(expectedIl(bounds, model) - loss)).toBeLessThan(1e-12)
  })

  test.each(CASES)('LVR is what the value gains from drift less what it gains: %s', (_, bounds, model) => {
    // Ito: E[V] - V0 = drift·∫E[P·V'(P)]dt - E[LVR]; P·V'(P) is the value of the token0 held.
    const held = (price: number): number => hodlValue(bounds, price, 2 * price) - hodlValue(bounds, price, price)
    const ofDrift =
      model.drift === 0
        ? 0
        : timeMean((years) => meanAtHorizon(held, bounds, { ...model, years }), model.years) * model.drift
    const start = positionValue(bounds, model.price)
    const lvr = start + ofDrift - expectedPositionValue(bounds, model)
    expect(Math.abs(expectedLvr(bounds, model) - lvr) / start).toBeLessThan(model.drift === 0 ? 5e-12 : 1e-7)
  })

  test('of random paths agree within four standard errors', () => {
    const [bounds, model] = CASE_OF_PATHS as [(typeof CASES)[number][1], (typeof CASES)[number][2]]
    const steps = 64
    const sums: Record<'value' | 'loss' | 'lvr', [number, number]> = { value: [0, 0], loss: [0, 0], lvr: [0, 0] }
    const paths = 20_000
    for (const prices of randomPaths(model, { paths, steps, seed: 11 })) {
      const last = prices[steps] ?? 0
      // Trapezoid over the steps: its own error is far below the standard error here.
      const ends = (lvrRate(bounds, model.price, model.sigma) + lvrRate(bounds, last, model.sigma)) / 2
      const inner = prices.subarray(1, steps).reduce((sum, price) => sum + lvrRate(bounds, price, model.sigma), 0)
      addSample(sums.value, positionValue(bounds, last))
      addSample(sums.loss, impermanentLoss(bounds, model.price, last))
      addSample(sums.lvr, ((ends + inner) * model.years) / steps)
    }
    expect(standardErrorsFrom(expectedPositionValue(bounds, model), sums.value, paths)).toBeLessThan(4)
    expect(standardErrorsFrom(expectedIl(bounds, model), sums.loss, paths)).toBeLessThan(4)
    expect(standardErrorsFrom(expectedLvr(bounds, model), sums.lvr, paths)).toBeLessThan(4)
  })

  test('over the full range: V0·e^(drift·T/2 - sigma²T/8), and LVR the rest', () => {
    // The last is driven far from where its tokens lie.
    for (const [drift, sigma, years] of [
      [0, 0.9, 0.7],
      [0.5, 0.9, 0.7],
      [-2, 0.9, 0.7],
      [10, 5, 10],
    ] as const) {
      const model = { price: 1800, sigma, drift, years }
      const start = 2 * Math.sqrt(1800)
      const rate = drift / 2 - sigma ** 2 / 8
      expect(expectedPositionValue(FULL, model) / (start * Math.exp(rate * years))).toBeCloseTo(1, 13)
      expect(expectedLvr(FULL, model) / ((start * sigma ** 2) / 8 / rate) / Math.expm1(rate * years)).toBeCloseTo(1, 12)
    }
  })

  test('the two meanings of expected loss, at 10 % around, 80 % volatility, 30 days', () => {
    const bounds = { lower: 0.9, upper: 1.1 }
    const [ofPaths, ofMeans] = [100 * expectedIl(bounds, MONTH), 100 * expectedIlOfMeans(bounds, MONTH)]
    expect([ofMeans.toFixed(3), ofPaths.toFixed(3)]).toEqual(['-7.083', '-7.115'])
  })

  test('without volatility are those of the one path', () => {
    const bounds = { lower: 0.8, upper: 1.2 }
    for (const drift of [0, 0.1, 1]) {
      const model = { price: 1, sigma: 0, drift, years: 1 }
      expect(expectedPositionValue(bounds, model)).toBeCloseTo(positionValue(bounds, Math.exp(drift)), 14)
      expect(expectedIl(bounds, model)).toBeCloseTo(impermanentLoss(bounds, 1, Math.exp(drift)), 14)
      expect(expectedIlOfMeans(bounds, model)).toBeCloseTo(impermanentLoss(bounds, 1, Math.exp(drift)), 14)
      expect(expectedLvr(bounds, model)).toBe(0)
    }
    const tiny = { price: 1, sigma: 1e-300, drift: 0, years: 1 }
    expect([expectedIl(bounds, tiny), expectedLvr(bounds, tiny)]).toEqual([0, 0])
  })

  test('stand where a price falls below the least double', () => {
    const model = { price: 1, sigma: 9.9, drift: 0, years: 10 }
    // All in token0 from the start, as after the fall; and half of it turned to token0 on the way down.
    expect(expectedIl({ lower: 1, upper: 1.0001 }, model)).toBeCloseTo(0, 12)
    expect(expectedIl({ lower: 0.9, upper: 1.1 }, model)).toBeCloseTo(-1, 12)
  })

  test.each(SENSELESS)('refuse %o', (change, code) => {
    const all = { lower: 0.9, upper: 1.1, ...MONTH, ...change }
    for (const f of [expectedIl, expectedIlOfMeans, expectedLvr, expectedPositionValue]) {
      expect(() => f(all, all)).toThrow(expect.objectContaining({ code }))
    }
  })
})

/** ∫ f(t) dt from 0 to `years`, over the root of t, in which expectations are smooth. */
function timeMean(f: (years: number) => number, years: number): number {
  const steps = 40
  const width = Math.sqrt(years) / steps
  let sum = 0
  for (let step = 0; step < steps; step += 1) {
    for (const [x, weight] of GAUSS_3) {
      const root = (step + (1 + x) / 2) * width
      sum += weight * (width / 2) * 2 * root * f(root * root)
    }
  }
  return sum
}

const GAUSS_3 = [
  [-Math.sqrt(0.6), 5 / 9],
  [0, 8 / 9],
  [Math.sqrt(0.6), 5 / 9],
] as const
