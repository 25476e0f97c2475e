import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from './engines.fixture.ts'
import { openStore, type Store } from './open-store.ts'
import { type StoredTask, taskBounds } from './tasks.ts'

describe.each(useEngines())('tasks on $engine', ({ newPlace }) => {
  let at: TestPlace
  let store: Store
  let now = 1_000

  const open = () => openStore({ ...at.place, now: () => now })

  beforeEach(async () => {
    now = 1_000
    at = await newPlace()
    store = await open()
  })
  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  const newTask = (owner: string) => ({ owner, principal: '{}', tool: 'slow', arguments: '{"a":1}', ttlMs: 5_000 })

  async function add(owner: string): Promise<StoredTask> {
    const task = await store.tasks.add(newTask(owner))
    if (task === null) throw new Error('there is no room')
    return task
  }

  test('are found by their owner alone, and go on after a restart', async () => {
    const { id } = await add('ann')
    const kept = { id, owner: 'ann', principal: '{}', tool: 'slow', arguments: '{"a":1}', state: 'working' }
    const keyKeptUntil = 1_000 + 24 * 3_600_000
    const times = { createdAt: 1_000, updatedAt: 1_000, expiresAt: 6_000, keyKeptUntil, cancelAskedAt: null }
    await store.close()
    store = await open()
    expect(await store.tasks.byId('ann', id)).toEqual({ ...kept, ...times, operationId: null, outcome: null })
    expect(await store.tasks.byId('bob', id)).toBeNull()
    expect((await store.tasks.open()).map((task) => task.id)).toEqual([id])
  })

  test('end once: what comes after the end changes nothing', async () => {
    const { id } = await add('ann')
    now = 2_000
    expect(await store.tasks.askCancel(id)).toMatchObject({ state: 'working', cancelAskedAt: 2_000 })
    expect(await store.tasks.follow(id, 'op')).toMatchObject({ operationId: 'op' })
    const end = { state: 'completed', outcome: '{"b":2}' } as const
    expect(await store.tasks.end(id, end)).toMatchObject({ ...end, updatedAt: 2_000 })
    expect(await store.tasks.end(id, { state: 'cancelled', outcome: null })).toBeNull()
    expect(await store.tasks.askCancel(id)).toBeNull()
    expect(await store.tasks.follow(id, 'other')).toBeNull()
    expect(await store.tasks.byId('ann', id)).toMatchObject(end)
    expect(await store.tasks.open()).toEqual([])
  })

  test('are bounded for each owner and for all, and keep an outcome of bounded size', async () => {
    const own = await Promise.all(Array.from({ length: taskBounds.open }, () => add('ann')))
    expect(await store.tasks.add(newTask('ann'))).toBeNull()
    const [first] = own
    const large = 'x'.repeat(taskBounds.outcomeBytes + 1)
    expect(() => store.tasks.end(first!.id, { state: 'completed', outcome: large })).toThrow(/at most 1048576/)
    await store.tasks.end(first!.id, { state: 'completed', outcome: null })
    expect(await store.tasks.add(newTask('ann'))).not.toBeNull()
    const others = (taskBounds.openOfAll - taskBounds.open) / taskBounds.open
    for (let one = 0; one < others; one += 1)
      for (let task = 0; task < taskBounds.open; task += 1) await add(`bob ${one}`)
    expect(await store.tasks.add(newTask('carl'))).toBeNull()
  })

  test('of the ended the oldest goes where too many are kept', async () => {
    const first = await add('ann')
    await store.tasks.end(first.id, { state: 'completed', outcome: null })
    for (let more = 1; more < taskBounds.kept; more += 1) {
      const { id } = await add('ann')
      await store.tasks.end(id, { state: 'completed', outcome: null })
    }
    expect(await store.tasks.byId('ann', first.id)).not.toBeNull()
    await add('ann')
    expect(await store.tasks.byId('ann', first.id)).toBeNull()
  })

  test('are forgotten when their time is over, and are not found from then on', async () => {
    const { id } = await add('ann')
    expect(await store.tasks.forgetExpired()).toEqual([])
    now = 5_999
    expect(await store.tasks.byId('ann', id)).not.toBeNull()
    expect(await store.tasks.keepUntil(id, 7_000)).toMatchObject({ state: 'working', expiresAt: 7_000 })
    now = 7_000
    expect([await store.tasks.byId('ann', id), await store.tasks.open()]).toEqual([null, []])
    expect(await store.tasks.forgetExpired()).toEqual([id])
    expect(await store.tasks.forgetExpired()).toEqual([])
  })
})
