import { expect, test } from 'vitest'
import { createAttempts } from './attempts.ts'

const away = new Error('away')

function openAttempts(timeoutMs?: number) {
  const clock = { now: 0 }
  const reported: unknown[] = []
  const onError = (error: unknown) => void reported.push(error)
  const attempt = createAttempts({ now: () => clock.now, onError, ...(timeoutMs !== undefined && { timeoutMs }) })
  return { clock, reported, attempt }
}

test('an attempt gives what its work gives', async () => {
  const { attempt, reported } = openAttempts()
  expect(await attempt(async () => 'read')).toBe('read')
  expect(reported).toEqual([])
})

test('after a failure none is begun for half a minute, and it is reported once', async () => {
  const { clock, attempt, reported } = openAttempts()
  const fail = () => attempt(() => Promise.reject(away))
  await expect(Promise.all([fail(), fail()])).rejects.toBe(away)
  clock.now = 29_999
  let begun = 0
  const begin = () => attempt(async () => (begun += 1))
  await expect(begin()).rejects.toThrow('a moment ago')
  clock.now = 30_000
  expect(await begin()).toBe(1)
  expect(reported).toEqual([away])
})

test('what does not answer is left, and counts as away', async () => {
  const { attempt, reported } = openAttempts(1)
  await expect(attempt(() => new Promise(() => {}))).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(attempt(async () => 'read')).rejects.toThrow('a moment ago')
  expect(reported).toHaveLength(1)
})
