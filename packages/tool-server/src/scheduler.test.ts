import { ToolError } from '@svc/amm'
import type { RoleFacts } from '@svc/engine'
import type { Operation } from '@svc/store'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Dispatch } from './dispatch/dispatch.ts'
import type { Ports } from './ports.ts'
import { startScheduler } from './scheduler.ts'
import type { Adapters } from './server.ts'
import { noOperations } from './test-server.fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A scheduler over a store whose stored writes are read by `due`; counts what it does beside them. */
function start(due: () => Promise<readonly Operation[]>, resume = async () => {}, role?: () => RoleFacts) {
  const done = { revocations: 0, looks: 0, warned: [] as string[] }
  const service = {
    resume,
    stopRevoked: () => void (done.revocations += 1),
    look: async () => void (done.looks += 1),
  }
  const write = { operations: { ...noOperations, due }, during: (work: () => Promise<unknown>) => work(), role }
  const scheduler = startScheduler(
    { write: write as unknown as NonNullable<Adapters['write']>, ports: {} as Ports },
    {
      dispatch: { tasks: { service } } as unknown as Dispatch,
      config: { watchSeconds: 60, webhook: null },
      isInForce: () => true,
      log: { warn: (event: string) => void done.warned.push(event), info: () => {} } as never,
    },
  )
  return { done, scheduler }
}

it('stops revoked tasks and looks at all others while stored writes are being carried out, and carries those out once', async () => {
  let begun = 0
  let end = (): void => {}
  const { done, scheduler } = start(async () => {
    begun += 1
    if (begun === 1) await new Promise<void>((resolve) => (end = resolve))
    return []
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect([begun, done.revocations, done.looks]).toEqual([1, 5, 5])
  end()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([begun, done.warned]).toEqual([2, []])
  scheduler?.stop()
  await vi.advanceTimersByTimeAsync(5_000)
  expect([begun, done.revocations]).toEqual([2, 6])
})

it('looks again after it could not read what is due, and says so', async () => {
  const failure = new ToolError('STORAGE_UNAVAILABLE', 'The operations cannot be read.')
  const { done, scheduler } = start(() => Promise.reject(failure))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(done.warned).toEqual(['operations.unread', 'operations.unread'])
  scheduler?.stop()
})

it('takes up what an earlier process left once the state can be read, and looks at no task before', async () => {
  let attempts = 0
  const { done, scheduler } = start(
    async () => [],
    async () => {
      attempts += 1
      if (attempts < 3) throw new Error('the state cannot be read')
    },
  )
  await vi.advanceTimersByTimeAsync(2_000)
  expect([attempts, done.looks, done.warned]).toEqual([2, 0, ['tasks.unread', 'tasks.unread']])
  await vi.advanceTimersByTimeAsync(2_000)
  expect([attempts, done.looks]).toEqual([3, 2])
  scheduler?.stop()
})

it('does nothing of what is kept for later while it follows, and takes up what others left each time that it leads', async () => {
  const facts = { role: 'follower' as 'leader' | 'follower', leader: null, epoch: 0n, takeovers: 0 }
  let [asked, resumed] = [0, 0]
  const { done, scheduler } = start(
    async () => ((asked += 1), []),
    async () => void (resumed += 1),
    () => facts,
  )
  await vi.advanceTimersByTimeAsync(3_000)
  expect([asked, resumed, done.looks, done.revocations]).toEqual([0, 0, 0, 3])
  Object.assign(facts, { role: 'leader', epoch: 1n })
  await vi.advanceTimersByTimeAsync(2_000)
  expect([asked, resumed, done.looks]).toEqual([2, 1, 2])
  facts.epoch = 3n
  await vi.advanceTimersByTimeAsync(1_000)
  expect(resumed).toBe(2)
  scheduler?.stop()
})
