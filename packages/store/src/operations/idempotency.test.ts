import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../open-store.ts'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { newOperation } from './operations.fixture.ts'

const call = { principalId: 'agent', key: 'key-1', bodyHash: 'body-1', requestId: 'request-1' }
const waiting = newOperation('asked', { state: 'awaiting_approval' })
const running = { state: 'running', requestId: 'request-1', isCutOff: false }
let clock = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = 1_700_000_000_000
    at = await newPlace()
    store = await reopen()
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('gives the stored answer to the same call, and a conflict to another body', async () => {
    expect(await store.idempotency.begin(call)).toEqual({ state: 'new' })
    expect(await store.idempotency.begin({ ...call, requestId: 'request-2' })).toEqual(running)
    expect(await store.idempotency.begin({ ...call, bodyHash: 'body-2' })).toEqual({ state: 'conflict' })
    const answer = '{"ok":true,"text":"\u00e9"}'
    await store.idempotency.finish('agent', 'key-1', answer)
    expect(await store.idempotency.begin(call)).toEqual({ state: 'done', answer, requestId: 'request-1' })
    expect(await store.idempotency.begin({ ...call, bodyHash: 'body-2' })).toEqual({ state: 'conflict' })
  })

  test('lets one of a hundred duplicates through', async () => {
    const states = await Promise.all(Array.from({ length: 100 }, () => store.idempotency.begin(call)))
    expect(states.filter(({ state }) => state === 'new')).toHaveLength(1)
    expect(states.filter(({ state }) => state === 'running')).toHaveLength(99)
  })

  test('keeps principals apart', async () => {
    await store.idempotency.begin(call)
    expect(await store.idempotency.begin({ ...call, principalId: 'other', bodyHash: 'x' })).toEqual({ state: 'new' })
  })

  test('is taken again for its own request alone, which then may be answered anew', async () => {
    expect(await store.idempotency.goOn(call)).toBe(false)
    await store.idempotency.begin(call)
    await store.idempotency.finish('agent', 'key-1', 'half')
    expect(await store.idempotency.goOn({ ...call, requestId: 'request-2' })).toBe(false)
    expect(await store.idempotency.goOn({ ...call, bodyHash: 'body-2' })).toBe(false)
    expect(await store.idempotency.begin(call)).toMatchObject({ state: 'done', answer: 'half' })
    expect(await store.idempotency.goOn(call)).toBe(true)
    expect(await store.idempotency.begin({ ...call, requestId: 'request-2' })).toEqual(running)
    await store.idempotency.finish('agent', 'key-1', 'whole')
    expect(await store.idempotency.begin(call)).toMatchObject({ state: 'done', answer: 'whole' })
  })

  test('is taken again by the opening that goes on with what another one left running', async () => {
    await store.idempotency.begin(call)
    const other = await reopen()
    expect(await other.idempotency.begin(call)).toEqual({ ...running, isCutOff: true })
    expect(await other.idempotency.goOn(call)).toBe(true)
    expect(await other.idempotency.begin(call)).toEqual(running)
    await other.close()
  })

  test('frees an abandoned key', async () => {
    await store.idempotency.begin(call)
    await store.idempotency.abandon('agent', 'key-1')
    expect(await store.idempotency.begin({ ...call, bodyHash: 'body-2' })).toEqual({ state: 'new' })
  })

  test('binds a key to what its call left waiting, in the same commit, over failures and restarts', async () => {
    const stored = { state: 'stored', operationId: 'asked' }
    const terms = { mostWaiting: 9, idempotencyKey: call.key }
    await store.idempotency.begin(call)
    const fails = { ...terms, record: () => Promise.reject(new Error('no record')) }
    await expect(store.operations.create(waiting, fails)).rejects.toThrow('no record')
    expect(await store.idempotency.begin(call)).toEqual(running)
    await store.operations.create(waiting, terms)
    expect(await store.idempotency.begin(call)).toEqual(stored)
    await store.idempotency.abandon('agent', 'key-1')
    expect(await store.idempotency.begin(call)).toEqual(stored)
    expect(await store.idempotency.begin({ ...call, bodyHash: 'body-2' })).toEqual({ state: 'conflict' })
    await store.close()
    store = await reopen()
    expect(await store.idempotency.begin(call)).toEqual(stored)
    // The same call under another key is bound to the one that waits.
    const other = { ...call, key: 'key-2' }
    await store.idempotency.begin(other)
    await store.operations.create({ ...waiting, id: 'again' }, { ...terms, idempotencyKey: 'key-2' })
    expect(await store.idempotency.begin(other)).toEqual(stored)
    expect(await store.idempotency.begin({ ...other, principalId: 'stranger' })).toEqual({ state: 'new' })
  })

  test('keeps an answer for 24 hours from the first call', async () => {
    await store.idempotency.begin(call)
    clock += 3_600_000
    await store.idempotency.finish('agent', 'key-1', 'answer')
    clock += 23 * 3_600_000 - 1
    expect(await store.idempotency.begin(call)).toEqual({ state: 'done', answer: 'answer', requestId: 'request-1' })
    clock += 1
    expect(await store.idempotency.begin(call)).toEqual({ state: 'new' })
  })

  test('keeps answers over a restart, and says what was cut off', async () => {
    await store.idempotency.begin(call)
    await store.idempotency.begin({ ...call, key: 'key-2' })
    await store.idempotency.finish('agent', 'key-2', 'answer')
    await store.close()
    store = await reopen()
    expect(await store.idempotency.begin(call)).toEqual({ ...running, isCutOff: true })
    expect(await store.idempotency.begin({ ...call, key: 'key-2' })).toEqual({
      state: 'done',
      answer: 'answer',
      requestId: 'request-1',
    })
    await expect(store.idempotency.finish('agent', 'key-1', 'answer')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_NOT_RUNNING',
    })
  })

  test('hands a key that was cut off to one call, and none that runs', async () => {
    const next = { ...call, requestId: 'request-2', from: 'request-1' }
    await store.idempotency.begin(call)
    expect(await store.idempotency.takeOver(next)).toBe(false)
    await store.close()
    store = await reopen()
    expect(await store.idempotency.takeOver({ ...next, bodyHash: 'body-2' })).toBe(false)
    const taken = await Promise.all([store.idempotency.takeOver(next), store.idempotency.takeOver(next)])
    expect(taken.toSorted()).toEqual([false, true])
    expect(await store.idempotency.begin(call)).toEqual({ ...running, requestId: 'request-2' })
    await store.idempotency.finish('agent', 'key-1', 'answer')
    expect(await store.idempotency.begin(call)).toEqual({ state: 'done', answer: 'answer', requestId: 'request-2' })
  })

  test('ends only what runs', async () => {
    await expect(store.idempotency.finish('agent', 'key-1', 'answer')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_NOT_RUNNING',
    })
    await store.idempotency.begin(call)
    await store.idempotency.finish('agent', 'key-1', 'answer')
    await expect(store.idempotency.abandon('agent', 'key-1')).rejects.toMatchObject({ code: 'IDEMPOTENCY_NOT_RUNNING' })
  })

  function reopen(): Promise<Store> {
    return openStore({ ...at.place, now: () => clock })
  }
})
