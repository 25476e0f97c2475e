import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'
import { newOperation } from './operations.fixture.ts'

const start = 1_700_000_000_000
const terms = { mostWaiting: 20 }
const yes = { approved: true, by: 'operator:cli' }
let clock = 0
let at: TestPlace
let store: Store
let other: Store

describe.each(useEngines())('on $engine', ({ engine, newPlace }) => {
  beforeEach(async () => {
    clock = start
    at = await newPlace()
    store = await reopen()
    // Two openings of a file in one process block each other's loop; of a database they work at once.
    other = engine === 'PostgreSQL' ? await reopen() : store
  })

  afterEach(async () => {
    await store.close()
    await other.close()
    await at.remove()
  })

  test('two hundred that one principal makes at once leave exactly as many as may wait, and others their own', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 === 0 ? store : other).operations.create(waiting(`one-${index}`, index % 3 === 0), terms),
      ),
    )
    const refused = made.filter((one) => one.status === 'rejected').map((one): unknown => one.reason)
    expect(refused).toEqual(refused.map(() => expect.objectContaining({ code: 'OPERATION_LIMIT' })))
    expect(refused).toHaveLength(180)
    expect(await waitingOf('agent')).toBe(20)
    await store.operations.create({ ...waiting('other'), principalId: 'other' }, terms)
    expect(await waitingOf('other')).toBe(1)
  })

  test('a place is free again once one is decided, cancelled or over, and not while one may be put back', async () => {
    const one = { mostWaiting: 1 }
    const isFull = (id: string) => expect(store.operations.create(waiting(id), one)).rejects.toMatchObject(full)
    await store.operations.create({ ...waiting('a'), expiresAt: start + 10 }, one)
    await isFull('b')
    await store.operations.create(newOperation('a plan'), one)
    clock += 10
    await store.operations.create(waiting('b'), one)
    await store.operations.cancel('b', 'agent')
    await store.operations.create(waiting('c'), one)
    await store.operations.decide('c', { ...yes, planHash: 'plan of c' })
    await store.operations.create(waiting('d', true), one)
    clock += 10
    await store.operations.claim('d', { requestId: 'request' })
    await isFull('e')
    await store.operations.finish('d', { state: 'done', answer: '{}' })
    await store.operations.create(waiting('e'), one)
  })

  test('one of the same call that awaits approval is given back as it is, whatever the new plan is and however many ask at once', async () => {
    const same = (index: number) => ({ ...waiting(`a-${index}`), input: 'same', expiresAt: start + 1_000 + index })
    const first = await store.operations.create(same(0), { mostWaiting: 1 })
    clock += 1
    const again = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? store : other).operations.create(same(index + 1), { mostWaiting: 1 }),
      ),
    )
    expect(again).toEqual(again.map(() => first))
    const racers = Array.from({ length: 20 }, (_, index) =>
      store.operations.create({ ...waiting(`b-${index}`), input: 'new', principalId: 'racer' }, terms),
    )
    expect(new Set((await Promise.all(racers)).map(({ id }) => id)).size).toBe(1)
    expect(await waitingOf('racer')).toBe(1)
  })

  test('another tool, principal or input, one that is to wait besides, and one whose time is over make their own', async () => {
    const first = { ...waiting('first'), expiresAt: start + 10 }
    const others = [
      { principalId: 'other' },
      { tool: 'execute_swap' },
      { input: 'changed' },
      { executeAfter: start + 5 },
      { state: 'scheduled', executeAfter: start + 5 },
    ] as const
    await store.operations.create(first, terms)
    for (const [index, change] of others.entries()) {
      const id = `other-${index}`
      expect(await store.operations.create({ ...first, id, ...change }, terms)).toMatchObject({ id })
    }
    clock += 10
    expect(await store.operations.create({ ...first, id: 'late', expiresAt: start + 20 }, terms)).toMatchObject({
      id: 'late',
      expiresAt: start + 20,
    })
    await store.operations.decide('late', { ...yes, approved: false, planHash: first.planHash })
    expect(await store.operations.create({ ...first, id: 'denied', expiresAt: start + 20 }, terms)).toMatchObject({
      id: 'denied',
    })
  })

  test('one is stored if and only if it could be put on record', async () => {
    const recorded: string[] = []
    const record = async () => void recorded.push('line')
    const failing = () => Promise.reject(new Error('no space left'))
    await expect(store.operations.create(waiting('a'), { ...terms, record: failing })).rejects.toThrow('no space left')
    expect(await store.operations.byId('a')).toBeNull()
    await store.operations.create(waiting('a'), { mostWaiting: 1, record })
    expect(recorded).toEqual(['line'])
    await expect(store.operations.create(waiting('b'), { mostWaiting: 1, record })).rejects.toMatchObject(full)
    await store.operations.create({ ...waiting('c'), input: waiting('a').input }, { ...terms, record })
    expect(recorded).toEqual(['line'])
  })
})

const full = { code: 'OPERATION_LIMIT' }

function waiting(id: string, forItsTime = false) {
  const life = forItsTime
    ? ({ state: 'scheduled', executeAfter: start + 5 } as const)
    : ({ state: 'awaiting_approval' } as const)
  return newOperation(id, { input: `input of ${id}`, planHash: `plan of ${id}`, ...life })
}

async function waitingOf(principalId: string): Promise<number> {
  const counts = await store.operations.count({ principalId, states: ['awaiting_approval', 'scheduled'] })
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function reopen(): Promise<Store> {
  return openStore({ ...at.place, now: () => clock })
}
