import { describe, expect, test } from 'vitest'
import { CASES, SENSELESS } from './closed-form.fixture.ts'
import { createOccupationTable } from './create-occupation-table.ts'

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

  test.each(SENSELESS.filter(([change]) => !('lower' in change || 'upper' in change)))('refuses %o', (change, code) => {
    expect(() => createOccupationTable({ ...MONTH, ...change })).toThrow(expect.objectContaining({ code }))
  })
})
