import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CheckRequest, SpendLimits } from './weigh-spend.ts'
import type { ReserveRequest } from './ledger.ts'
import { openStore, type Store } from '../open-store.ts'
import { useEngines, type TestPlace } from '../engines.fixture.ts'

const hourMs = 3_600_000
const idleMs = 1_800_000
const limits = { perTransaction: 500n, perSession: 1_000n, daily: 2_000n }
let clock = 0
let ids = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = 1_700_000_000_000
    at = await newPlace()
    store = await openStore({ ...at.place, now: () => clock })
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  describe('each limit', () => {
    test('per transaction: the cap itself passes, one more does not', async () => {
      expect(await reserve(500n)).toMatchObject({ granted: true, used: { session: 0n, daily: 0n } })
      expect(await reserve(501n)).toEqual({
        granted: false,
        limit: 'perTransaction',
        capUsdMicros: 500n,
        usedUsdMicros: 0n,
        askedUsdMicros: 501n,
        freesAt: null,
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
        freesAt: clock + idleMs,
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
      expect(await usage()).toEqual({
        sessionUsdMicros: 0n,
        sessionGasUsdMicros: 0n,
        dailyUsdMicros: 0n,
        dailyGasUsdMicros: 0n,
        dailyExitGasUsdMicros: 0n,
        dailyPlainExitGasUsdMicros: 0n,
        dailyDueExitGasUsdMicros: 0n,
        dailySureExitGasUsdMicros: 0n,
        principalDailyUsdMicros: 0n,
        heldUsdMicros: 0n,
        freesAt: { perSession: null, daily: null, principalDaily: null },
      })
      expect(await store.ledger.open()).toEqual([])
    })

    test('a check answers what a reservation would', async () => {
      await reserve(500n)
      expect(await store.ledger.check(request(501n))).toMatchObject({ granted: false, limit: 'perTransaction' })
      expect(await store.ledger.check(request(500n))).toMatchObject({ granted: true, used: { session: 500n } })
    })
  })

  test('of several limits that are exceeded the one that leaves least is named, so that what it leaves fits under all', async () => {
    await reserve(500n)
    await reserve(200n)
    expect(await store.ledger.check(request(501n))).toMatchObject({
      limit: 'perSession',
      capUsdMicros: 1_000n,
      usedUsdMicros: 700n,
    })
    expect(await store.ledger.check(request(300n))).toMatchObject({ granted: true })
  })

  test('a refusal and the usage say when first something is freed: at the end of the session, and when the oldest leaves the day', async () => {
    const start = clock
    await settled(400n, 'other')
    clock += hourMs
    await settled(500n)
    await reserve(500n)
    const daily = { limit: 'daily', freesAt: start + 24 * hourMs }
    expect(
      await store.ledger.check({ ...request(1n), limits: { ...limits, daily: 1_400n, perSession: 9_999n } }),
    ).toMatchObject(daily)
    expect(await store.ledger.check(request(1n))).toMatchObject({ limit: 'perSession', freesAt: clock + idleMs })
    const freesAt = { perSession: clock + idleMs, daily: daily.freesAt, principalDaily: clock + 24 * hourMs }
    expect(await usage()).toMatchObject({ freesAt })
    clock += 23 * hourMs
    expect(await usage()).toMatchObject({ freesAt: { perSession: null, daily: start + 25 * hourMs } })
  })

  describe('the daily limit of one principal', () => {
    const tight = { ...limits, principalDaily: 600n }

    test('counts that principal alone, and stands beside the one of all', async () => {
      await settled(500n, 'agent')
      await settled(500n, 'other')
      expect(await store.ledger.reserve({ ...request(101n), limits: tight, id: 'a', requestId: 'a' })).toEqual({
        granted: false,
        limit: 'principalDaily',
        capUsdMicros: 600n,
        usedUsdMicros: 500n,
        askedUsdMicros: 101n,
        freesAt: clock + 24 * hourMs,
      })
      expect(await store.ledger.check({ ...request(100n), limits: tight })).toMatchObject({
        granted: true,
        used: { session: 500n, daily: 1_000n, principalDaily: 500n },
      })
      expect(await store.ledger.check({ ...request(100n), limits: { ...tight, daily: 1_099n } })).toMatchObject({
        granted: false,
        limit: 'daily',
      })
      expect(await usage()).toMatchObject({ dailyUsdMicros: 1_000n, principalDailyUsdMicros: 500n })
    })

    test('is a window of 24 hours as well', async () => {
      await settled(500n)
      clock += 24 * hourMs - 1
      expect(await store.ledger.check({ ...request(101n), limits: tight })).toMatchObject({ limit: 'principalDaily' })
      clock += 1
      expect(await store.ledger.check({ ...request(101n), limits: tight })).toMatchObject({ granted: true })
    })
  })

  describe('a raise', () => {
    const raise = (id: string, amountUsdMicros: bigint, change: Partial<SpendLimits> = {}) =>
      store.ledger.raise(id, { amountUsdMicros, limits: { ...limits, ...change }, sessionIdleMs: idleMs })

    test('takes the difference out of every limit, and counts what was held once', async () => {
      await settled(300n)
      await reserve(100n, 'agent', 'grows')
      expect(await raise('grows', 500n)).toEqual({
        granted: true,
        used: { session: 300n, daily: 300n, principalDaily: 300n },
        repayment: null,
      })
      expect(await usage()).toMatchObject({ sessionUsdMicros: 800n, dailyUsdMicros: 800n })
      expect(await store.ledger.open()).toMatchObject([{ id: 'grows', amountUsdMicros: 500n }])
    })

    test.each([
      ['perTransaction', 499n, 0n],
      ['perSession', 799n, 300n],
      ['daily', 1_299n, 800n],
      ['principalDaily', 799n, 300n],
    ] as const)(
      'above %s is refused, and leaves the reservation as it was',
      async (limit, capUsdMicros, usedUsdMicros) => {
        await settled(500n, 'other')
        await settled(300n)
        await reserve(100n, 'agent', 'grows')
        const waitMs = { perTransaction: null, perSession: idleMs, daily: 24 * hourMs, principalDaily: 24 * hourMs }[
          limit
        ]
        const freesAt = waitMs === null ? null : clock + waitMs
        const refusal = { granted: false, limit, capUsdMicros, usedUsdMicros, askedUsdMicros: 500n, freesAt }
        expect(await raise('grows', 500n, { [limit]: capUsdMicros })).toEqual(refusal)
        expect(await store.ledger.open()).toMatchObject([{ id: 'grows', amountUsdMicros: 100n }])
        expect(await raise('grows', 500n, { [limit]: capUsdMicros + 1n })).toMatchObject({ granted: true })
      },
    )

    test('to no more than it holds changes nothing', async () => {
      await reserve(100n, 'agent', 'stays')
      expect(await raise('stays', 40n)).toMatchObject({ granted: true })
      expect(await store.ledger.open()).toMatchObject([{ amountUsdMicros: 100n }])
    })

    test('is for what is open', async () => {
      await reserve(100n, 'agent', 'settled')
      await store.ledger.settle('settled', 1n)
      for (const id of ['settled', 'never']) {
        await expect(raise(id, 2n)).rejects.toMatchObject({ code: 'RESERVATION_NOT_OPEN' })
      }
      await reserve(100n, 'agent', 'open')
      await expect(raise('open', -1n)).rejects.toMatchObject({ code: 'AMOUNT_INVALID' })
    })

    test('races with reservations and never passes the cap', async () => {
      await Promise.all(Array.from({ length: 10 }, (_, index) => reserve(10n, `agent-${index}`, `one-${index}`)))
      const verdicts = await Promise.all([
        ...Array.from({ length: 10 }, (_, index) => raise(`one-${index}`, 400n)),
        ...Array.from({ length: 10 }, (_, index) => reserve(400n, `late-${index}`)),
      ])
      const granted = verdicts.filter((verdict) => verdict.granted).length
      expect(granted).toBe(4)
      const held = (await store.ledger.open()).reduce((sum, { amountUsdMicros }) => sum + amountUsdMicros, 0n)
      expect(held).toBeLessThanOrEqual(limits.daily)
      expect((await usage()).dailyUsdMicros).toBe(held)
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

  test('what went out of a chain: settled since, or reserved still', async () => {
    await settled(100n, 'a')
    clock += 1
    const since = clock
    await settled(200n, 'b')
    await reserve(300n, 'c', 'open')
    await reserve(50n, 'd', 'gone')
    await store.ledger.release('gone')
    clock += hourMs
    const out = await store.ledger.outflows(request(1n).chainId, since)
    expect([...out].sort((one, other) => Number(one.usdMicros - other.usdMicros))).toEqual([
      { usdMicros: 200n, amounts: null, settledAt: since },
      { usdMicros: 300n, amounts: null, settledAt: null },
    ])
    expect(await store.ledger.outflows(request(1n).chainId + 1, 0)).toEqual([])
  })

  test('what went out by token: what may leave until it is settled, then what left and the gas of it', async () => {
    const [token, native] = ['0xaa', '0x0000000000000000000000000000000000000000']
    const amounts = new Map([
      [token, 7n],
      [native, 90n],
    ])
    const outflow = async () => (await store.ledger.outflows(request(1n).chainId, 0))[0]!
    await store.ledger.reserve({ ...request(300n), amounts, id: 'one', requestId: 'one' })
    expect((await outflow()).amounts).toEqual(amounts)
    await store.ledger.settle('one', 200n, [], [], { amounts: new Map([[token, 2n ** 200n]]) })
    expect((await outflow()).amounts).toEqual(
      new Map([
        [token, 2n ** 200n],
        [native, 0n],
      ]),
    )
    await store.ledger.reserve({ ...request(300n), amounts, id: 'two', requestId: 'two' })
    await store.ledger.settle('two', 200n)
    const kept = await store.ledger.outflows(request(1n).chainId, 0)
    expect(kept.map((one) => one.amounts)).toContainEqual(amounts)
    const negative = new Map([[token, -1n]])
    await expect(
      store.ledger.reserve({ ...request(1n), amounts: negative, id: 'three', requestId: 'three' }),
    ).rejects.toMatchObject({ code: 'AMOUNT_INVALID' })
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
        () => store.ledger.settle('one', 41n),
        () => store.ledger.release('one'),
        () => store.ledger.settle('two', 1n),
        () => store.ledger.settle('never', 1n),
        () => store.ledger.release('never'),
      ]) {
        await expect(wrong()).rejects.toMatchObject({ code: 'RESERVATION_NOT_OPEN' })
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
