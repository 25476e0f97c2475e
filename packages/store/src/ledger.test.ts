import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CheckRequest, ReserveRequest } from './ledger.ts'
import { openStore, type Store } from './open-store.ts'

const hourMs = 3_600_000
const idleMs = 1_800_000
const limits = { perTransaction: 500n, perSession: 1_000n, daily: 2_000n }
let clock = 0
let ids = 0
let store: Store

beforeEach(async () => {
  clock = 1_700_000_000_000
  store = await openStore({ path: ':memory:', now: () => clock })
})

afterEach(() => store.close())

describe('each limit', () => {
  test('per transaction: the cap itself passes, one more does not', async () => {
    expect(await reserve(500n)).toMatchObject({ granted: true, used: { session: 0n, daily: 0n } })
    expect(await reserve(501n)).toEqual({
      granted: false,
      limit: 'perTransaction',
      capUsdMicros: 500n,
      usedUsdMicros: 0n,
      askedUsdMicros: 501n,
    })
  })

  test('per session: of one principal alone', async () => {
    await reserve(500n)
    await reserve(400n)
    expect(await reserve(101n)).toEqual({
      granted: false,
      limit: 'perSession',
      capUsdMicros: 1_000n,
      usedUsdMicros: 900n,
      askedUsdMicros: 101n,
    })
    expect(await reserve(100n)).toMatchObject({ granted: true, used: { session: 900n, daily: 900n } })
    expect(await reserve(500n, 'other')).toMatchObject({ granted: true, used: { session: 0n, daily: 1_000n } })
  })

  test('daily: of all principals together', async () => {
    for (const principal of ['a', 'b', 'c', 'd']) await reserve(500n, principal)
    expect(await reserve(1n, 'e')).toMatchObject({ granted: false, limit: 'daily', usedUsdMicros: 2_000n })
  })

  test('a refusal takes nothing, and neither does a check', async () => {
    for (let index = 0; index < 50; index += 1) {
      await reserve(501n)
      await store.ledger.check(request(500n))
    }
    expect(await usage()).toEqual({ sessionUsdMicros: 0n, dailyUsdMicros: 0n })
    expect(await store.ledger.open()).toEqual([])
  })

  test('a check answers what a reservation would', async () => {
    await reserve(500n)
    expect(await store.ledger.check(request(501n))).toMatchObject({ granted: false, limit: 'perTransaction' })
    expect(await store.ledger.check(request(500n))).toMatchObject({ granted: true, used: { session: 500n } })
  })
})

describe('the window of 24 hours', () => {
  test('is no calendar day: a spend counts for 24 hours after it settled', async () => {
    await settled(500n, 'a')
    clock += 23 * hourMs
    for (const principal of ['b', 'c', 'd']) await settled(500n, principal)
    expect(await reserve(1n, 'e')).toMatchObject({ granted: false, limit: 'daily' })
    clock += hourMs - 1
    expect(await reserve(1n, 'e')).toMatchObject({ granted: false })
    clock += 1
    expect(await reserve(500n, 'e')).toMatchObject({ granted: true, used: { daily: 1_500n } })
  })

  test('keeps an open reservation however old, and counts it from its settlement on', async () => {
    await reserve(500n, 'a', 'slow')
    clock += 48 * hourMs
    expect((await usage('b')).dailyUsdMicros).toBe(500n)
    await store.ledger.settle('slow', 300n)
    clock += 24 * hourMs - 1
    expect((await usage('b')).dailyUsdMicros).toBe(300n)
    clock += 1
    expect((await usage('b')).dailyUsdMicros).toBe(0n)
  })

  test('does not open when the clock steps back', async () => {
    for (const principal of ['a', 'b', 'c', 'd']) await settled(500n, principal)
    clock -= 72 * hourMs
    expect(await reserve(1n, 'e')).toMatchObject({ granted: false, limit: 'daily' })
  })
})

describe('a session', () => {
  test('lasts until 30 minutes pass without a spend', async () => {
    await settled(500n)
    clock += idleMs - 1
    await settled(400n)
    clock += idleMs - 1
    expect(await reserve(101n)).toMatchObject({ granted: false, limit: 'perSession' })
    expect(await usage()).toMatchObject({ sessionUsdMicros: 900n })
    clock += 1
    expect(await usage()).toMatchObject({ sessionUsdMicros: 0n })
    expect(await reserve(500n)).toMatchObject({ granted: true, used: { session: 0n, daily: 900n } })
  })

  test('is kept open by a settlement', async () => {
    await reserve(500n, 'agent', 'late')
    clock += idleMs - 1
    await store.ledger.settle('late', 500n)
    clock += idleMs - 1
    expect((await usage()).sessionUsdMicros).toBe(500n)
  })

  test('counts what is still open from a session before, and what settles in it', async () => {
    await reserve(500n, 'agent', 'stuck')
    clock += idleMs
    expect(await reserve(400n)).toMatchObject({ granted: true, used: { session: 500n } })
    await store.ledger.settle('stuck', 500n)
    expect(await reserve(101n)).toMatchObject({ granted: false, limit: 'perSession', usedUsdMicros: 900n })
  })
})

describe('closing', () => {
  test('a settlement counts what really moved, more or less than reserved', async () => {
    await reserve(100n, 'agent', 'more')
    await store.ledger.settle('more', 700n)
    expect((await usage()).dailyUsdMicros).toBe(700n)
    await reserve(100n, 'agent', 'less')
    await store.ledger.settle('less', 0n)
    expect((await usage()).dailyUsdMicros).toBe(700n)
  })

  test('a release counts nothing', async () => {
    await reserve(100n, 'agent', 'gone')
    await store.ledger.release('gone')
    expect(await usage()).toMatchObject({ sessionUsdMicros: 0n, dailyUsdMicros: 0n })
  })

  test('happens once; the same again changes nothing', async () => {
    await reserve(100n, 'agent', 'one')
    await reserve(100n, 'agent', 'two')
    await store.ledger.settle('one', 40n)
    await store.ledger.settle('one', 40n)
    await store.ledger.release('two')
    await store.ledger.release('two')
    for (const wrong of [
      store.ledger.settle('one', 41n),
      store.ledger.release('one'),
      store.ledger.settle('two', 1n),
      store.ledger.settle('never', 1n),
      store.ledger.release('never'),
    ]) {
      await expect(wrong).rejects.toMatchObject({ code: 'RESERVATION_NOT_OPEN' })
    }
    expect((await usage()).dailyUsdMicros).toBe(40n)
  })
})

test('an id serves once', async () => {
  await reserve(1n, 'agent', 'same')
  await expect(reserve(1n, 'agent', 'same')).rejects.toMatchObject({ code: 'RESERVATION_EXISTS' })
})

test.each([-1n, 10n ** 18n + 1n])('%d is no amount', async (amount) => {
  await expect(reserve(amount)).rejects.toMatchObject({ code: 'AMOUNT_INVALID' })
  await reserve(1n, 'agent', 'open')
  await expect(store.ledger.settle('open', amount)).rejects.toMatchObject({ code: 'AMOUNT_INVALID' })
})

function request(amountUsdMicros: bigint, principal = 'agent'): CheckRequest {
  return { principal, chainId: 1, amountUsdMicros, limits, sessionIdleMs: idleMs }
}

function reserve(amountUsdMicros: bigint, principal = 'agent', id = `id-${(ids += 1)}`) {
  const asked: ReserveRequest = { ...request(amountUsdMicros, principal), id, requestId: `request-of-${id}` }
  return store.ledger.reserve(asked)
}

async function settled(amountUsdMicros: bigint, principal = 'agent'): Promise<void> {
  const id = `id-${(ids += 1)}`
  expect(await reserve(amountUsdMicros, principal, id)).toMatchObject({ granted: true })
  await store.ledger.settle(id, amountUsdMicros)
}

function usage(principal = 'agent') {
  return store.ledger.usage(principal, { sessionIdleMs: idleMs })
}
