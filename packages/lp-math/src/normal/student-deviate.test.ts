import { expect, test } from 'vitest'
import { studentDeviate } from './inverse-normal-cdf.ts'

// Of printed tables: 95 and 99.9 % of both sides.
test.each([
  [1.95996, 6, 2.4469],
  [1.95996, 9, 2.2622],
  [1.95996, 29, 2.0452],
  [3.29053, 7, 5.4079],
  [3.29053, 29, 3.6594],
  [-1.95996, 9, -2.2622],
  [0, 9, 0],
])('%f of a normal error is, of %i degrees of freedom, %f', (normal, freedom, t) => {
  expect(Math.abs(studentDeviate(normal, freedom) - t)).toBeLessThan(0.015 * Math.abs(t) + 1e-9)
})

test.each([0, -1, Number.NaN])('refuses %d degrees of freedom', (freedom) => {
  expect(() => studentDeviate(2, freedom)).toThrow(expect.objectContaining({ code: 'COUNT_OUT_OF_RANGE' }))
})
