import { describe, expect, test } from 'vitest'
import { SENSELESS } from './closed-form.fixture.ts'
import { expectedHodlValue, expectedIl, expectedIlOfMeans, expectedLvr, expectedPositionValue } from './expected-il.ts'
import { impermanentLoss, positionValue } from './position-value.ts'
import { meanAtHorizon } from './quadrature.fixture.ts'

const FULL = { lower: 0, upper: Number.POSITIVE_INFINITY }
const MONTH = { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 }

describe('expected value and loss', () => {
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

  test('keep their digits where the price hardly moves, and in ranges far narrower than a tick', () => {
    for (const sigma of [1e-6, 1e-4, 0.3, 3]) {
      const loss = Math.expm1((-sigma * sigma) / 8)
      expect(expectedIlOfMeans(FULL, { ...MONTH, sigma, years: 1 }) / loss).toBeCloseTo(1, 9)
    }
    for (const [half, digits] of [
      [4e-3, 12],
      [1e-6, 12],
      [1e-9, 11],
    ] as const) {
      const bounds = { lower: 1 - half, upper: 1 + half }
      const exact = meanAtHorizon((price) => positionValue(bounds, price), bounds, MONTH)
      expect(expectedPositionValue(bounds, MONTH) / exact).toBeCloseTo(1, digits)
    }
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
    for (const f of [expectedHodlValue, expectedIl, expectedIlOfMeans, expectedLvr, expectedPositionValue]) {
      expect(() => f(all, all)).toThrow(expect.objectContaining({ code }))
    }
  })
})
