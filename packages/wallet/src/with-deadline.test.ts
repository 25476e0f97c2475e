import { expect, test } from 'vitest'
import { withDeadline } from './with-deadline.ts'

const fired = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

test('work is told when its time is over', async () => {
  await expect(withDeadline({ timeoutMs: 1 }, fired)).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('work is told when its caller leaves, or has left', async () => {
  const caller = new AbortController()
  const waiting = withDeadline({ timeoutMs: 600_000, signal: caller.signal }, fired)
  caller.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
  await expect(withDeadline({ timeoutMs: 600_000, signal: caller.signal }, fired)).rejects.toThrow('left')
})

test('work that ends in time gives its result', async () => {
  expect(await withDeadline({ timeoutMs: 600_000 }, async () => 7)).toBe(7)
})
