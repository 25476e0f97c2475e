import { expect, test } from 'vitest'
import { niceScale } from './frame.ts'

test('a scale is round, holds its values and 0, and has an extent', () => {
  expect(niceScale([-5.86, -0.29])).toEqual({ min: -6, max: 0, interval: 2 })
  expect(niceScale([3, 52])).toEqual({ min: 0, max: 60, interval: 20 })
  expect(niceScale([-27, 11])).toEqual({ min: -30, max: 20, interval: 10 })
  expect(niceScale([9_002, 10_140], { withZero: false })).toEqual({ min: 9_000, max: 10_250, interval: 250 })
  expect(niceScale([], { withZero: false })).toEqual(niceScale([]))
  expect(niceScale([])).toEqual({ min: 0, max: 1, interval: 0.2 })
  expect(niceScale([0, 3e-9])).toMatchObject({ min: 0, max: expect.closeTo(3e-9, 15) })
})
