import { expect, test } from 'vitest'
import { timeGridError } from './range-estimates.ts'

const model = { price: 100, sigma: 0.8, drift: 0.1, years: 30 / 365 }

test('vanishes as the steps get shorter, and is large where a step leaps over the range', () => {
  const bounds = { lower: 99, upper: 101 }
  expect(Math.abs(timeGridError(bounds, model, 30))).toBeGreaterThan(0.002)
  expect(Math.abs(timeGridError(bounds, model, 8_000))).toBeLessThan(2e-5)
})

test('is nothing for the full range', () => {
  expect(timeGridError({ lower: 0, upper: Number.POSITIVE_INFINITY }, model, 30)).toBeCloseTo(0, 12)
})
