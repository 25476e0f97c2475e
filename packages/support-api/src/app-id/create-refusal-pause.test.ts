import { expect, test } from 'vitest'
import { createRefusalPause } from './create-app-check.ts'

test('what took none of the time, some or more of it ends after one time', () => {
  let at = 0
  const pause = createRefusalPause({ stepMs: 1_000, now: () => at })
  const endOf = (elapsedMs: number) => elapsedMs + pause(elapsedMs)
  expect([0, 3, 300, 999].map(endOf)).toEqual([1_000, 1_000, 1_000, 1_000])
  expect([1_500, 0, 300, 1_999].map(endOf)).toEqual([2_000, 2_000, 2_000, 2_000])
  at = 600_000
  expect(endOf(0)).toBe(2_000)
  at = 600_001
  expect([0, 300].map(endOf)).toEqual([1_000, 1_000])
})
