import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../open-store.ts'
import type { NewOperation, Operation } from './operations.ts'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { newOperation as operation } from './operations.fixture.ts'

const dayMs = 86_400_000
const start = 1_700_000_000_000
const claim = { requestId: 'request-1' }
const yes = { approved: true, by: 'operator:cli', planHash: 'hash' }
let clock = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = start
    at = await newPlace()
    store = await reopen()
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  describe('an operation', () => {
    test('is given back as it was made, every member of it', async () => {
      const made = operation('a', { spendUsdMicros: 10n ** 17n + 1n, expiresAt: start + 1, executeAfter: start + 2 })
      const kept = {
        ...made,
        createdAt: start,
        decidedBy: null,
        decidedAt: null,
        requestId: null,
        answer: null,
      }
      expect(await store.operations.create(made)).toEqual(kept)
      await store.close()
      store = await reopen()
      expect(await store.operations.byId('a')).toEqual(kept)
      expect(await store.operations.byId('b')).toBeNull()
    })

    test('has an id of its own', async () => {
      await store.operations.create(operation('a'))
      await expect(store.operations.create(operation('a'))).rejects.toMatchObject({ code: 'OPERATION_EXISTS' })
    })

    test('that nobody made is unknown to every step', async () => {
      for (const step of Object.values(steps)) {
        await expect(step('nobody')).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' })
      }
    })
  })

  describe('each state allows its own steps and no other', () => {
    test.each([
      ['planned', ['claim', 'cancel']],
      ['awaiting_approval', ['decide', 'cancel']],
      ['approved', ['claim', 'cancel']],
      ['denied', []],
      ['scheduled', ['claim', 'cancel']],
      ['running', ['finish', 'giveBack']],
      ['done', ['finish']],
      ['failed', []],
      ['cancelled', ['cancel']],
      ['expired', []],
    ] as const)('%s: %j', async (state, allowed) => {
      const outcomes = await Promise.all(
        Object.entries(steps).map(async ([name, step]) => {
          const id = `${state}-${name}`
          await bring(id, state)
          const before = await store.operations.byId(id)
          const refusal = await step(id).then(
            () => null,
            (error: unknown) => error,
          )
          return { name, before, refusal, after: await store.operations.byId(id) }
        }),
      )
      const refused = outcomes.filter(({ refusal }) => refusal !== null)
      const names = outcomes.filter(({ refusal }) => refusal === null).map(({ name }) => name)
      expect(names.toSorted()).toEqual([...allowed].toSorted())
      expect(refused.map(({ refusal }) => refusal)).toEqual(
        refused.map(() => expect.objectContaining({ code: 'OPERATION_STATE' })),
      )
      expect(refused.map(({ after }) => after)).toEqual(refused.map(({ before }) => before))
      expect(new Set(outcomes.map(({ before }) => before?.state))).toEqual(new Set([state]))
    })
  })

  describe('a decision', () => {
    test('names who and when, and approves at once or for later', async () => {
      await store.operations.create(operation('now', { state: 'awaiting_approval' }))
      await store.operations.create(operation('later', { state: 'awaiting_approval', executeAfter: start + dayMs }))
      clock += 5
      const word = { decidedBy: 'operator:cli', decidedAt: start + 5 }
      expect(await store.operations.decide('now', yes)).toMatchObject({ ...word, state: 'approved' })
      expect(await store.operations.decide('later', yes)).toMatchObject({ ...word, state: 'scheduled' })
    })

    test('holds for the plan that was shown alone', async () => {
      await store.operations.create(operation('a', { state: 'awaiting_approval' }))
      const other = store.operations.decide('a', { ...yes, planHash: 'other' })
      await expect(other).rejects.toMatchObject({ code: 'OPERATION_CHANGED' })
      expect(await store.operations.byId('a')).toMatchObject({ state: 'awaiting_approval', decidedBy: null })
    })

    test('is one of many that race', async () => {
      await store.operations.create(operation('a', { state: 'awaiting_approval' }))
      const racers = Array.from({ length: 20 }, (_, index) =>
        store.operations.decide('a', { ...yes, approved: index % 2 === 0, by: `person-${index}` }),
      )
      const taken = (await Promise.allSettled(racers)).filter((one) => one.status === 'fulfilled')
      expect(taken).toHaveLength(1)
      expect(await store.operations.byId('a')).toEqual(taken[0]?.value)
    })
  })

  describe('a claim', () => {
    test('has one taker among many', async () => {
      await store.operations.create(operation('a'))
      const racers = Array.from({ length: 50 }, (_, index) =>
        store.operations.claim('a', { requestId: `request-${index}` }),
      )
      const taken = (await Promise.allSettled(racers)).filter((one) => one.status === 'fulfilled')
      expect(taken).toHaveLength(1)
      expect(await store.operations.byId('a')).toEqual(taken[0]?.value)
    })

    test('has one taker among openings of the store', async () => {
      const other = await reopen()
      await store.operations.create(operation('a'))
      const racers = [store, other, store, other].map((one) => one.operations.claim('a', claim))
      expect((await Promise.allSettled(racers)).filter((one) => one.status === 'fulfilled')).toHaveLength(1)
      await other.close()
    })

    test('waits for the time of what is scheduled, to the millisecond', async () => {
      await store.operations.create(operation('a', { state: 'scheduled', executeAfter: start + 10 }))
      clock += 9
      await expect(store.operations.claim('a', claim)).rejects.toMatchObject({ code: 'OPERATION_STATE' })
      clock += 1
      expect(await store.operations.claim('a', claim)).toMatchObject({ state: 'running', requestId: 'request-1' })
    })

    test.each(['planned', 'approved', 'scheduled'] as const)(
      'of %s is given back to it, and taken again',
      async (state) => {
        await bring('a', state)
        const before = await store.operations.byId('a')
        await store.operations.claim('a', claim)
        expect(await store.operations.giveBack('a')).toEqual(before)
        expect(await store.operations.claim('a', { requestId: 'request-2' })).toMatchObject({ requestId: 'request-2' })
      },
    )
  })

  describe('going on', () => {
    test('takes what has failed on its way, for the request that it was taken for, and nothing else', async () => {
      const again = { requestId: 'request-2', goesOn: true }
      await bring('a', 'failed')
      await expect(store.operations.claim('a', { requestId: 'request-2' })).rejects.toMatchObject({
        code: 'OPERATION_STATE',
      })
      expect(await store.operations.claim('a', again)).toMatchObject({
        state: 'running',
        requestId: 'request-1',
        answer: null,
      })
      await expect(store.operations.claim('a', again)).rejects.toMatchObject({ code: 'OPERATION_STATE' })
      expect(await store.operations.finish('a', { state: 'done', answer: 'whole' })).toMatchObject({ answer: 'whole' })
      await expect(store.operations.claim('a', again)).rejects.toMatchObject({ code: 'OPERATION_STATE' })
    })

    test('ends 24 hours after the first stop, however often it stops again, and leaves what runs in place', async () => {
      const again = { ...claim, goesOn: true }
      await bring('a', 'failed')
      await bring('b', 'failed')
      clock += dayMs - 1
      for (const id of ['a', 'b']) expect(await store.operations.claim(id, again)).toMatchObject({ state: 'running' })
      await store.operations.finish('a', { state: 'failed', answer: 'stopped again' })
      clock += 1
      await expect(store.operations.claim('a', again)).rejects.toMatchObject({ code: 'OPERATION_STATE' })
      clock += 7 * dayMs
      await store.operations.create(operation('then'))
      expect(await ids({})).toEqual(['then', 'b'])
    })

    test('has one taker among openings of the store', async () => {
      const other = await reopen()
      await bring('a', 'failed')
      const again = { ...claim, goesOn: true }
      const racers = [store, other, store, other].map((one) => one.operations.claim('a', again))
      expect((await Promise.allSettled(racers)).filter((one) => one.status === 'fulfilled')).toHaveLength(1)
      await other.close()
    })
  })

  describe('an end', () => {
    test('keeps the answer, and the same end again changes nothing', async () => {
      await bring('a', 'running')
      const end = { state: 'done', answer: '{"hash":"0x01"}' } as const
      const ended = await store.operations.finish('a', end)
      expect(ended).toMatchObject(end)
      expect(await store.operations.finish('a', end)).toEqual(ended)
      for (const other of [
        { ...end, answer: 'other' },
        { ...end, state: 'failed' as const },
      ]) {
        await expect(store.operations.finish('a', other)).rejects.toMatchObject({ code: 'OPERATION_STATE' })
      }
    })
  })

  describe('time', () => {
    test.each(['planned', 'awaiting_approval', 'approved'] as const)(
      'expires what is %s when it comes',
      async (state) => {
        await bring('a', state)
        clock = start + 999
        expect((await store.operations.byId('a'))?.state).toBe(state)
        clock = start + 1_000
        expect((await store.operations.byId('a'))?.state).toBe('expired')
        expect(await ids({ states: ['expired'] })).toEqual(['a'])
        expect(await ids({ states: [state] })).toEqual([])
      },
    )

    test.each(['scheduled', 'running', 'done', 'denied'] as const)('does not expire what is %s', async (state) => {
      await bring('a', state)
      clock = start + dayMs
      expect((await store.operations.byId('a'))?.state).toBe(state)
    })

    test('brings what is due, in the order of its time', async () => {
      const times = { late: 30, early: 10, middle: 20, never: 40 }
      for (const [id, after] of Object.entries(times)) {
        await store.operations.create(operation(id, { state: 'scheduled', executeAfter: start + after }))
      }
      await store.operations.create(operation('plan', { executeAfter: start }))
      clock = start + 30
      expect((await store.operations.due(10)).map((one) => one.id)).toEqual(['early', 'middle', 'late'])
      expect((await store.operations.due(2)).map((one) => one.id)).toEqual(['early', 'middle'])
      await store.operations.cancel('early', 'agent')
      expect((await store.operations.due(2)).map((one) => one.id)).toEqual(['middle', 'late'])
    })
  })

  test('a list is newest first, of one principal or all, of the states asked for', async () => {
    for (const id of ['a', 'b', 'c']) await store.operations.create(operation(id))
    await store.operations.create(operation('d', { principalId: 'other' }))
    await store.operations.cancel('b', 'agent')
    expect(await ids({})).toEqual(['d', 'c', 'b', 'a'])
    expect(await ids({ principalId: 'agent' })).toEqual(['c', 'b', 'a'])
    expect(await ids({ principalId: 'agent', states: ['planned'] })).toEqual(['c', 'a'])
    expect(await ids({ states: ['cancelled', 'planned'], limit: 3 })).toEqual(['d', 'c', 'b'])
    expect(await ids({ states: [] })).toEqual([])
    expect(await ids({ principalId: '' })).toEqual([])
    await store.operations.cancel('a', 'operator:ann')
    expect(await ids({ decidedByPrefix: 'operator:' })).toEqual(['a'])
    expect(await ids({ decidedByPrefix: 'OPERATOR:' })).toEqual([])
  })

  test('what a process that is gone was carrying out is interrupted, and nothing of this one is', async () => {
    await bring('a', 'running')
    expect(await store.operations.interrupted()).toEqual([])
    const before = await store.operations.byId('a')
    await store.close()
    store = await reopen()
    await bring('b', 'running')
    expect(await store.operations.interrupted()).toEqual([before])
    await store.operations.giveBack('a')
    await store.operations.claim('a', claim)
    expect(await store.operations.interrupted()).toEqual([])
  })

  describe('old rows', () => {
    test('go seven days after their end or expiry; what waits or runs stays', async () => {
      const kept = ['awaiting_approval', 'approved', 'scheduled', 'running'] as const
      const gone = ['done', 'failed', 'denied', 'cancelled', 'expired'] as const
      for (const state of kept) await bring(state, state, { expiresAt: null })
      for (const state of gone) await bring(state, state)
      await bring('runs long', 'running')
      clock = start + 7 * dayMs - 1
      await store.operations.create(operation('almost'))
      expect((await ids({})).toSorted()).toEqual(['almost', ...kept, ...gone, 'runs long'].toSorted())
      clock += 1
      await store.operations.create(operation('then'))
      expect((await ids({})).toSorted()).toEqual(['almost', 'then', ...kept, 'runs long'].toSorted())
    })
  })
})

test('a principal that plans more than a thousand loses its oldest plan, and nothing but plans', async () => {
  clock = start
  store = await openStore({ path: ':memory:', now: () => clock })
  await bring('running', 'running')
  await bring('waiting', 'awaiting_approval')
  await store.operations.create(operation('foreign', { principalId: 'other' }))
  for (let index = 0; index < 1_002; index += 1) await store.operations.create(operation(`plan-${index}`))
  const left = await ids({ principalId: 'agent', states: ['planned'], limit: 2_000 })
  expect([left.length, left.at(0), left.at(-1)]).toEqual([1_000, 'plan-1001', 'plan-2'])
  expect(await ids({ states: ['running', 'awaiting_approval'] })).toEqual(['waiting', 'running'])
  expect(await ids({ principalId: 'other' })).toEqual(['foreign'])
  await store.close()
})

const steps: Readonly<Record<string, (id: string) => Promise<Operation>>> = {
  decide: (id) => store.operations.decide(id, yes),
  claim: (id) => store.operations.claim(id, claim),
  finish: (id) => store.operations.finish(id, { state: 'done', answer: 'answer' }),
  giveBack: (id) => store.operations.giveBack(id),
  cancel: (id) => store.operations.cancel(id, 'agent'),
}

/** Makes an operation of the state; what can expire does so a second after the start, or is past that already. */
async function bring(id: string, state: Operation['state'], change: Partial<NewOperation> = {}): Promise<void> {
  const { operations } = store
  const decided = ['awaiting_approval', 'approved', 'denied'].includes(state)
  const first = state === 'scheduled' ? state : decided ? 'awaiting_approval' : 'planned'
  const expiresAt = state === 'expired' ? start : start + 1_000
  await operations.create(operation(id, { state: first, expiresAt, ...change }))
  if (state === 'approved' || state === 'denied')
    await operations.decide(id, { ...yes, approved: state === 'approved' })
  if (state === 'running' || state === 'done' || state === 'failed') await operations.claim(id, claim)
  if (state === 'done' || state === 'failed') await operations.finish(id, { state, answer: 'answer' })
  if (state === 'cancelled') await operations.cancel(id, 'agent')
}

async function ids(query: Partial<Parameters<Store['operations']['list']>[0]>): Promise<string[]> {
  return (await store.operations.list({ principalId: null, limit: 100, ...query })).map((one) => one.id)
}

function reopen(): Promise<Store> {
  return openStore({ ...at.place, now: () => clock })
}
