import { describe, expect, test } from 'vitest'
import { maxDrawdown, sharpeRatio } from './strategy-result.ts'

describe('the Sharpe ratio', () => {
  /** Returns of 2 % and -1 % by turns, seven of each. */
  const values = Array.from({ length: 14 }).reduce<number[]>(
    (days, _, day) => [...days, (days.at(-1) ?? 0) * (day % 2 === 0 ? 1.02 : 0.99)],
    [100],
  )

  test('is mean over deviation (n - 1) of daily returns, times sqrt 365', () => {
    const deviation = Math.sqrt((14 * 0.015 ** 2) / 13)
    expect(sharpeRatio(values)).toBeCloseTo((0.005 / deviation) * Math.sqrt(365), 9)
  })

  test('is null below 14 returns, without variation, and where nothing is left', () => {
    expect(sharpeRatio(values.slice(1))).toBeNull()
    expect(sharpeRatio(values.map(() => 100))).toBeNull()
    expect(sharpeRatio([...values, -1])).toBeNull()
    expect(sharpeRatio([])).toBeNull()
    // Fees on a price that stands still: as good as the same each day.
    const steady = (spread: number) =>
      values.map((_, day) => 100 * 1.001 ** day * (1 + (day % 2 === 0 ? 0 : spread * 0.001)))
    expect([sharpeRatio(steady(1e-3)), sharpeRatio(steady(-1e-3))]).toEqual([null, null])
    expect(sharpeRatio(steady(0.05))).toBeGreaterThan(100)
  })
})

describe('the deepest fall', () => {
  test('is seen from the highest value before it, the start included', () => {
    expect(maxDrawdown([100, 120, 90, 110, 70, 130])).toBeCloseTo(50 / 120, 14)
    expect(maxDrawdown(Float64Array.of(80, 90), 100)).toBeCloseTo(0.2, 14)
    expect([maxDrawdown([1, 2, 3]), maxDrawdown([])]).toEqual([0, 0])
  })

  test.each([[[1, Number.NaN], 1] as const, [[1, Number.POSITIVE_INFINITY], 1] as const, [[1], 0] as const])(
    'refuses %j from %d',
    (values, start) => {
      expect(() => maxDrawdown(values, start)).toThrow(expect.objectContaining({ code: 'VALUE_OUT_OF_RANGE' }))
    },
  )
})
