import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'
import type { Operation } from './operations.ts'
import { newOperation } from './operations.fixture.ts'

const start = 1_700_000_000_000
let clock = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = start
    at = await newPlace()
    store = await openStore({ ...at.place, now: () => clock })
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('what is due comes in turns: many of one principal do not keep the one of another waiting', async () => {
    for (let index = 0; index < 40; index += 1) await schedule(`many-${index}`, 'many', 10 + index)
    await schedule('few-late', 'few', 100)
    await schedule('few-early', 'few', 99)
    await schedule('third', 'third', 101)
    await schedule('not yet', 'fourth', 103)
    clock = start + 102
    expect(ids(await store.operations.due(5))).toEqual(['many-0', 'few-early', 'third', 'many-1', 'few-late'])
    expect(ids(await store.operations.due(100))).toHaveLength(43)
    await store.operations.claim('many-0', { requestId: 'request' })
    expect(ids(await store.operations.due(1))).toEqual(['many-1'])
  })

  test('what waits is listed in turns, each oldest first, at most so many of each principal', async () => {
    for (let index = 0; index < 30; index += 1) await waits(`many-${index}`, 'many')
    await waits('few-0', 'few')
    await waits('few-1', 'few', start + 5)
    await store.operations.create(newOperation('plan', { principalId: 'few' }))
    const query = { states: ['awaiting_approval'], order: 'oldest', perPrincipal: 2, limit: 10 } as const
    expect(ids(await store.operations.inTurns(query))).toEqual(['many-0', 'few-0', 'many-1', 'few-1'])
    expect(ids(await store.operations.inTurns({ ...query, limit: 2 }))).toEqual(['many-0', 'few-0'])
    const newest = { ...query, order: 'newest' } as const
    expect(ids(await store.operations.inTurns(newest))).toEqual(['few-1', 'many-29', 'few-0', 'many-28'])
    expect(ids(await store.operations.inTurns({ ...query, principalId: 'few' }))).toEqual(['few-0', 'few-1'])
    clock += 5
    expect(ids(await store.operations.inTurns(query))).toEqual(['many-0', 'few-0', 'many-1'])
  })

  test('what there is of each state is counted by principal, as it stands now', async () => {
    await waits('a', 'one')
    await waits('b', 'one', start + 5)
    await schedule('c', 'one', 10)
    await waits('d', 'two')
    await store.operations.create(newOperation('plan', { principalId: 'two' }))
    const states = ['awaiting_approval', 'scheduled'] as const
    expect(await store.operations.count({ principalId: null, states })).toEqual([
      { principalId: 'one', state: 'awaiting_approval', count: 2 },
      { principalId: 'one', state: 'scheduled', count: 1 },
      { principalId: 'two', state: 'awaiting_approval', count: 1 },
    ])
    clock += 5
    expect(await store.operations.count({ principalId: 'one', states })).toEqual([
      { principalId: 'one', state: 'awaiting_approval', count: 1 },
      { principalId: 'one', state: 'scheduled', count: 1 },
    ])
    expect(await store.operations.count({ principalId: 'nobody', states })).toEqual([])
  })
})

function waits(id: string, principalId: string, expiresAt: number | null = null): Promise<Operation> {
  return store.operations.create(newOperation(id, { state: 'awaiting_approval', principalId, expiresAt }))
}

function schedule(id: string, principalId: string, afterMs: number): Promise<Operation> {
  const life = { state: 'scheduled', executeAfter: start + afterMs } as const
  return store.operations.create(newOperation(id, { principalId, ...life }))
}

function ids(operations: readonly Operation[]): readonly string[] {
  return operations.map(({ id }) => id)
}
