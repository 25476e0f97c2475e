import { expect, test } from 'vitest'
import { inTime, withinTime } from './within-time.ts'

test('work that is done in time is its own outcome, good or bad', async () => {
  expect(await withinTime(Promise.resolve('done'), 60_000, 'late')).toBe('done')
  await expect(withinTime(Promise.reject(new Error('failed')), 60_000, 'late')).rejects.toThrow('failed')
})

test('work that takes too long is not waited for', async () => {
  expect(await withinTime(new Promise(() => {}), 20, 'late')).toBe('late')
})

test('an answer in time is the answer, and a failure the failure', async () => {
  expect(await inTime(Promise.resolve(1), 60_000)).toBe(1)
  await expect(inTime(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no')
})

test('what takes longer is given up', async () => {
  await expect(inTime(new Promise(() => {}), 1)).rejects.toMatchObject({ name: 'TimeoutError' })
})
