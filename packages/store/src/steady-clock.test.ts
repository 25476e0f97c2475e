import { expect, test } from 'vitest'
import { steadyClock } from './store-time.ts'

const hour = 3_600_000

test('follows the wall clock forwards, and goes on at the pace of time when that is set back', () => {
  const time = { wall: 1_000 * hour, monotonic: 5 }
  const now = steadyClock(
    () => time.wall,
    () => time.monotonic,
  )
  const pass = (ms: number, step = 0): number => {
    time.monotonic += ms
    time.wall += ms + step
    return now() - 1_000 * hour
  }
  expect(pass(0)).toBe(0)
  expect(pass(hour)).toBe(hour)
  expect(pass(hour, -10 * hour)).toBe(2 * hour)
  expect(pass(hour)).toBe(3 * hour)
  expect(pass(0, 10 * hour)).toBe(3 * hour)
  expect(pass(hour, 5 * hour)).toBe(9 * hour)
})

test('fractions of a millisecond add up', () => {
  let monotonic = 0
  const now = steadyClock(
    () => 0,
    () => (monotonic += 0.25),
    10,
  )
  expect(Array.from({ length: 400 }, now).at(-1)).toBe(110)
})

test('begins no earlier than what is known to have happened', () => {
  expect(
    steadyClock(
      () => 5,
      () => 0,
      7,
    )(),
  ).toBe(7)
})
