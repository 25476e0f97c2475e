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

  const newTask = (owner: string, isPassing = false) => ({
    owner,
    isPassing,
    principal: '{}',
    tool: 'slow',
    arguments: '{"a":1}',
    ttlMs: 5_000,
  })

  async function add(owner: string, isPassing?: boolean): Promise<StoredTask> {
    const task = await store.tasks.add(newTask(owner, isPassing))
    if (task === null) throw new Error('there is no room')
    return task
  }

  /** So many that go on, of as many callers as that takes. */
  async function fill(owner: string, isPassing: boolean, count: number): Promise<readonly StoredTask[]> {
    const tasks: StoredTask[] = []
    for (let one = 0; one < count; one += 1)
      tasks.push(await add(`${owner} ${Math.floor(one / taskBounds.ofOwner.open)}`, isPassing))
    return tasks
  }

  async function addEnded(owner: string, isPassing?: boolean): Promise<string> {
    const { id } = await add(owner, isPassing)
    await store.tasks.end(id, { state: 'completed', outcome: null })
    return id
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
    const own = await Promise.all(Array.from({ length: taskBounds.ofOwner.open }, () => add('ann')))
    expect(await store.tasks.add(newTask('ann'))).toBeNull()
    const [first] = own
    const large = 'x'.repeat(taskBounds.outcomeBytes + 1)
    expect(() => store.tasks.end(first!.id, { state: 'completed', outcome: large })).toThrow(/at most 1048576/)
    await store.tasks.end(first!.id, { state: 'completed', outcome: null })
    expect(await store.tasks.add(newTask('ann'))).not.toBeNull()
    await fill('bob', false, taskBounds.ofKnown.open - taskBounds.ofOwner.open)
    expect(await store.tasks.add(newTask('carl'))).toBeNull()
  })

  test('of strangers are bounded together, and take no room from those of others', async () => {
    const [first] = await fill('stranger', true, taskBounds.ofPassing.open)
    expect(await store.tasks.add(newTask('one more', true))).toBeNull()
    await fill('bob', false, taskBounds.ofKnown.open)
    expect(await store.tasks.add(newTask('carl'))).toBeNull()
    await store.tasks.end(first!.id, { state: 'completed', outcome: null })
    expect(await store.tasks.add(newTask('one more', true))).not.toBeNull()
  })

  test('of strangers push out none of others, but the oldest of their own', async () => {
    const known = await addEnded('ann')
    const first = await addEnded('stranger', true)
    for (let one = 1; one < taskBounds.ofPassing.kept; one += 1) await addEnded(`stranger ${one}`, true)
    expect(await store.tasks.byId('stranger', first)).not.toBeNull()
    const last = await addEnded('the next', true)
    expect(await store.tasks.byId('stranger', first)).toBeNull()
    expect([await store.tasks.byId('ann', known), await store.tasks.byId('the next', last)]).not.toContain(null)
  })

  test('of others are bounded in all as well', async () => {
    const first = await addEnded('ann')
    const stranger = await addEnded('stranger', true)
    for (let one = 1; one < taskBounds.ofKnown.kept; one += 1) await addEnded(`bob ${one}`)
    expect(await store.tasks.byId('ann', first)).not.toBeNull()
    await addEnded('the next')
    expect(await store.tasks.byId('ann', first)).toBeNull()
    expect(await store.tasks.byId('stranger', stranger)).not.toBeNull()
  })

  test('of the ended the oldest goes where too many are kept', async () => {
    const first = await addEnded('ann')
    for (let more = 1; more < taskBounds.ofOwner.kept; more += 1) await addEnded('ann')
    expect(await store.tasks.byId('ann', first)).not.toBeNull()
    await add('ann')
    expect(await store.tasks.byId('ann', first)).toBeNull()
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
