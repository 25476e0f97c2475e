import { expect, test, vi } from 'vitest'
import { createSharedReads } from './create-shared-reads.ts'
import { yieldToEventLoop } from '@svc/runtime'

test('those who ask for the same at the same time share a read, and its failure; later ones read again', async () => {
  const read = vi.fn(async (name: string) => {
    await Promise.resolve()
    if (name === 'bad') throw new Error('no answer')
    return { name }
  })
  const shared = createSharedReads<{ name: string }>()
  const ask = (name: string) => shared.read(name, () => read(name))
  const [first, second, other] = await Promise.all([ask('a'), ask('a'), ask('b')])
  expect(first).toBe(second)
  expect(other).toEqual({ name: 'b' })
  expect(read).toHaveBeenCalledTimes(2)
  await ask('a')
  expect(read).toHaveBeenCalledTimes(3)
  const failed = await Promise.allSettled([ask('bad'), ask('bad')])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(read).toHaveBeenCalledTimes(4)
})

test('a read that has ended is nobody else’s, though those who waited for it have not gone on yet', async () => {
  const read = vi.fn(async () => 'answer')
  const shared = createSharedReads<string>()
  const others = Array.from({ length: 20 }, () => yieldToEventLoop())
  const early = shared.read('a', read)
  await new Promise((resolve) => setImmediate(resolve))
  const late = shared.read('a', read)
  await Promise.all([early, late, ...others])
  expect(read).toHaveBeenCalledTimes(2)
})

test('who waits for one read goes on in a round of the loop of his own', async () => {
  let round = 0
  const count = () => {
    round += 1
    if (round < 100) setImmediate(count)
  }
  setImmediate(count)
  const shared = createSharedReads<string>()
  const rounds = await Promise.all([1, 2, 3].map(async () => shared.read('a', async () => 'answer').then(() => round)))
  expect(new Set(rounds).size).toBe(3)
})
