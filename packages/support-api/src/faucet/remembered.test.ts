import { expect, test } from 'vitest'
import { remembered } from './remembered.ts'

test('those who wait at the same time share one question, and its answer holds for a while', async () => {
  let [clock, asked] = [0, 0]
  const read = remembered(async () => (asked += 1), { forMs: 10, now: () => clock })
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  clock = 9
  expect(await read()).toBe(1)
  clock = 15
  expect(await read()).toBe(1)
  expect(await read()).toBe(2)
  clock = 40
  expect(await read()).toBe(3)
})

test('an answer that failed is asked for again', async () => {
  let asked = 0
  const read = remembered(async () => (asked++ === 0 ? Promise.reject(new Error('away')) : 'here'), {
    forMs: 10,
    now: () => 0,
  })
  await expect(read()).rejects.toThrow('away')
  expect(await read()).toBe('here')
})
