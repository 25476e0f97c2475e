import { expect, test } from 'vitest'
import { feePace } from './fee-model.ts'

const hours = { barSeconds: 3_600 }
const past = (count: number, fees = 1) => new Float64Array(count).fill(fees)

test('is a mean of days with its own error, and the last week beside it', () => {
  expect(feePace(past(720), hours)).toEqual({ perDay: 24, ofLast7Days: 24, standardError: 0 })
  const rising = past(720).fill(2, 720 - 168)
  const pace = feePace(rising, hours)
  expect(pace).toMatchObject({ perDay: 24 + (24 * 7) / 30, ofLast7Days: 48 })
  expect(pace?.standardError).toBeCloseTo(Math.sqrt((24 ** 2 * (7 / 30) * (23 / 30) * 30) / 29 / 30), 10)
  // The odd hours of the beginning are no whole day.
  expect(feePace(Float64Array.of(1e9, ...past(48)), hours)?.standardError).toBe(0)
})

test('leaves out what nothing can mean, and knows no error below two days', () => {
  const even = { perDay: 24, ofLast7Days: 24, standardError: 0 }
  const odd = past(240).fill(Number.NaN, 0, 24).fill(-5, 24, 48).fill(Number.POSITIVE_INFINITY, 48, 72)
  expect(feePace(odd, hours)).toEqual(even)
  const half = past(240).map((fee, index) => (index % 2 === 0 ? Number.NaN : fee))
  expect(feePace(half, hours)).toEqual(even)
  expect(feePace(past(240, Number.NaN), hours)).toBeNull()
  expect(feePace(past(47), hours)).toEqual({ ...even, standardError: null })
  expect(feePace(past(0), hours)).toEqual({ perDay: 0, ofLast7Days: 0, standardError: null })
})

test.each([60, 7_000, 86_400])('counts days in bars of %d seconds', (barSeconds) => {
  const days = Float64Array.from({ length: Math.ceil((10 * 86_400) / barSeconds) }, () => barSeconds)
  const pace = feePace(days, { barSeconds })
  expect(pace?.perDay).toBeCloseTo(86_400, 6)
  expect(pace?.ofLast7Days).toBeCloseTo(86_400, 6)
  expect(pace?.standardError).toBeCloseTo(0, 6)
})
