import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { withinTime } from './within-time.ts'

test('work that is done in time is its own outcome, good or bad', async () => {
  expect(await withinTime(Promise.resolve('done'), 1_000, 'late')).toBe('done')
  await expect(withinTime(Promise.reject(new Error('failed')), 1_000, 'late')).rejects.toThrow('failed')
})

test('work that takes too long is not waited for', async () => {
  const startedAt = performance.now()
  expect(await withinTime(sleep(2_000, 'done', { ref: false }), 20, 'late')).toBe('late')
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})
