import { describe, expect, test } from 'vitest'
import { CASES, SENSELESS } from './closed-form.fixture.ts'
import { createOccupationTable } from './occupation.ts'
import { expectedLvr } from './expected-il.ts'

const MONTH = { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 }

describe('the table of expected times', () => {
  test.each(CASES)('gives all of the time to all of the prices: %s', (_, _bounds, model) => {
    expect(createOccupationTable(model).timeShare({ lower: 0, upper: Number.POSITIVE_INFINITY })).toBe(1)
  })

  test.each([0.8, 0])('gives the time between each of many prices and the next: sigma %s', (sigma) => {
    const table = createOccupationTable({ ...MONTH, sigma, drift: 0.4 })
    const edges = Float64Array.of(0, 0.5, 0.99, 1, 1.01, 1.02, 3, Number.POSITIVE_INFINITY)
    const shares = table.timeShares(edges)
    expect(shares).toHaveLength(7)
    for (const [cell, share] of shares.entries()) {
      expect(share).toBeCloseTo(table.timeShare({ lower: edges[cell]!, upper: edges[cell + 1]! }), 14)
    }
  })

  test('knows a path without volatility', () => {
    const table = createOccupationTable({ ...MONTH, sigma: 0, drift: 0.4, years: 1 })
    expect(table.timeShare({ lower: Math.exp(0.1), upper: Math.exp(0.3) })).toBeCloseTo(0.5, 14)
    expect(table.lvr({ lower: 0.5, upper: 2 })).toBe(0)
  })

  test.each([0.8, 0])('refuses bounds that mean nothing: sigma %s', (sigma) => {
    const table = createOccupationTable({ ...MONTH, sigma })
    for (const [change, code] of SENSELESS.filter(([one]) => 'lower' in one || 'upper' in one)) {
      const bounds = { lower: 0.9, upper: 1.1, ...change }
      const refused = expect.objectContaining({ code })
      expect(() => table.timeShare(bounds)).toThrow(refused)
      expect(() => table.lvr(bounds)).toThrow(refused)
    }
  })

  test.each([[[0.1, 0.3, 0.2]], [[-1, 1]], [[0, Number.NaN, 1]]])('refuses prices that do not rise: %j', (edges) => {
    const refused = expect.objectContaining({ code: 'PRICE_OUT_OF_RANGE' })
    expect(() => createOccupationTable(MONTH).timeShares(Float64Array.from(edges))).toThrow(refused)
  })

  test('keeps the digits of LVR at volatilities that no market has', () => {
    for (const [sigma, drift, years] of [
      [10, -5, 2.2],
      [10, 0, 5],
      [10, -5, 10],
    ] as const) {
      const model = { price: 1, sigma, drift, years }
      const table = createOccupationTable(model)
      const whole = expectedLvr({ lower: 0, upper: Number.POSITIVE_INFINITY }, model)
      for (let log = -12; log < 12; log += 1.37) {
        const bounds = { lower: Math.exp(log), upper: Math.exp(log + 0.5 + Math.abs(log) / 7) }
        expect(Math.abs(table.lvr(bounds) - expectedLvr(bounds, model)) / whole).toBeLessThan(1e-7)
      }
    }
  })

  test.each(SENSELESS.filter(([change]) => !('lower' in change || 'upper' in change)))('refuses %o', (change, code) => {
    expect(() => createOccupationTable({ ...MONTH, ...change })).toThrow(expect.objectContaining({ code }))
  })
})
