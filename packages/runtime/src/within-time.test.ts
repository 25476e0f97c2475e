import { expect, test } from 'vitest'
import { withinTime } from './within-time.ts'

test('work that is done in time is its own outcome, good or bad', async () => {
  expect(await withinTime(Promise.resolve('done'), 60_000, 'late')).toBe('done')
  await expect(withinTime(Promise.reject(new Error('failed')), 60_000, 'late')).rejects.toThrow('failed')
})

test('work that takes too long is not waited for', async () => {
  expect(await withinTime(new Promise(() => {}), 20, 'late')).toBe('late')
})
