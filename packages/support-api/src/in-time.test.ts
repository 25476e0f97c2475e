import { expect, test } from 'vitest'
import { inTime } from './in-time.ts'

test('an answer in time is the answer, and a failure the failure', async () => {
  expect(await inTime(Promise.resolve(1), 60_000)).toBe(1)
  await expect(inTime(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no')
})

test('what takes longer is given up', async () => {
  await expect(inTime(new Promise(() => {}), 1)).rejects.toMatchObject({ name: 'TimeoutError' })
})
