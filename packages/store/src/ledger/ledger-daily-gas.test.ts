import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CheckRequest, SpendLimits } from './weigh-spend.ts'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'

const limits: SpendLimits = { perTransaction: 500n, perSession: 500n, daily: 500n, dailyGas: 100n }
const sessionIdleMs = 1_800_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startedAt = 1_700_000_000_000
let clock = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('G13: gas of a day in the ledger on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = startedAt
    at = await newPlace()
    store = await reopen()
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('of all callers together is no more than its limit, at its worst until it is settled', async () => {
    expect(await reserve('one', { gasUsdMicros: 60n })).toMatchObject({ granted: true })
    expect(await reserve('two', { gasUsdMicros: 41n, principal: 'other' })).toEqual({
      granted: false,
      limit: 'dailyGas',
      capUsdMicros: 100n,
      usedUsdMicros: 60n,
      askedUsdMicros: 41n,
      freesAt: null,
    })
    await store.ledger.settle('one', 0n, [{ hash: await mined('one'), usdMicros: 20n, wei: 1n }])
    expect(await reserve('two', { gasUsdMicros: 80n })).toMatchObject({ granted: true })
    expect(await store.ledger.check(asked({ gasUsdMicros: 1n }))).toMatchObject({ limit: 'dailyGas' })
    expect(await store.ledger.check(asked({ amountUsdMicros: 9n }))).toMatchObject({ granted: true })
    expect(await store.ledger.check({ ...asked({ gasUsdMicros: 9n }), limits: without })).toMatchObject({
      granted: true,
    })
  })

  test('says when enough of it has left the window, and that no wait helps who asks for more than all of it', async () => {
    for (const [id, usdMicros] of [
      ['first', 30n],
      ['second', 50n],
    ] as const) {
      await reserve(id, { gasUsdMicros: usdMicros })
      await store.ledger.settle(id, 0n, [{ hash: await mined(id), usdMicros, wei: 1n }])
      clock += hourMs
    }
    const ask = (gasUsdMicros: bigint) => store.ledger.check(asked({ gasUsdMicros }))
    expect(await ask(50n)).toMatchObject({ granted: false, freesAt: startedAt + dayMs })
    expect(await ask(51n)).toMatchObject({ granted: false, freesAt: startedAt + hourMs + dayMs })
    expect(await ask(101n)).toMatchObject({ granted: false, freesAt: null })
    clock = startedAt + dayMs
    expect(await ask(50n)).toMatchObject({ granted: true })
  })

  test('of ways home has a limit of its own, and no other limit stands against one', async () => {
    await reserve('all', { amountUsdMicros: 400n, gasUsdMicros: 100n })
    expect(await reserve('next', { gasUsdMicros: 1n })).toMatchObject({ granted: false, limit: 'perSession' })
    expect(await reserve('home', { gasUsdMicros: 100n, isExit: true })).toMatchObject({ granted: true })
    expect(await reserve('more', { gasUsdMicros: 1n, isExit: true })).toMatchObject({ limit: 'dailyGas' })
    // All of it counts as spent.
    expect(await usage()).toMatchObject({
      dailyUsdMicros: 600n,
      dailyGasUsdMicros: 200n,
      dailyExitGasUsdMicros: 100n,
    })
    await store.ledger.settle('home', 0n, [{ hash: await mined('home'), usdMicros: 40n, wei: 1n }])
    expect(await reserve('more', { gasUsdMicros: 61n, isExit: true })).toMatchObject({ usedUsdMicros: 40n })
    expect(await reserve('more', { gasUsdMicros: 60n, isExit: true })).toMatchObject({ granted: true })
  })

  test('of a way home that repays its gas passes while what others burnt for nothing is within it, and uses nothing up', async () => {
    const settle = async (id: string, usdMicros: bigint, isRepaid: boolean) =>
      store.ledger.settle(id, 0n, [{ hash: await mined(id), usdMicros, wei: 1n }], [], { isRepaid })
    const home = { isExit: true, isToRepay: true }
    // Of other calls nothing is repaid.
    expect(await reserve('one', { gasUsdMicros: 101n, isToRepay: true })).toMatchObject({ limit: 'dailyGas' })
    expect(await reserve('dear', { gasUsdMicros: 300n, ...home })).toMatchObject({ granted: true, repayment: 'due' })
    // It has not come home yet, and the next is more than is left for those that are not to repay it.
    expect(await reserve('next', { gasUsdMicros: 101n, ...home })).toMatchObject({
      limit: 'dailyGas',
      usedUsdMicros: 0n,
    })
    await settle('dear', 250n, true)
    expect(await usage()).toMatchObject({ dailyExitGasUsdMicros: 250n, dailyDueExitGasUsdMicros: 0n })
    await reserve('failed', { gasUsdMicros: 300n, ...home })
    await settle('failed', 100n, false)
    expect(await reserve('again', { gasUsdMicros: 300n, ...home })).toMatchObject({ granted: true })
    await settle('again', 1n, false)
    expect(await usage()).toMatchObject({ dailyPlainExitGasUsdMicros: 0n, dailyDueExitGasUsdMicros: 101n })
    expect(await reserve('more', { gasUsdMicros: 101n, ...home })).toMatchObject({ limit: 'dailyGas' })
    // Those are left what they have.
    expect(await reserve('cheap', { gasUsdMicros: 60n, ...home })).toMatchObject({ granted: true, repayment: null })
    expect(await reserve('small', { gasUsdMicros: 40n, isExit: true })).toMatchObject({ granted: true })
    expect(await raise('cheap', { gasUsdMicros: 61n, ...home })).toMatchObject({
      limit: 'dailyGas',
      usedUsdMicros: 40n,
    })
  })

  test('of a way home that nobody can keep from coming passes what others burnt for nothing, and has a limit of its own', async () => {
    const settle = async (id: string, usdMicros: bigint, isRepaid: boolean) =>
      store.ledger.settle(id, 0n, [{ hash: await mined(id), usdMicros, wei: 1n }], [], { isRepaid })
    const home = { isExit: true, isToRepay: true }
    const sure = { ...home, isSure: true }
    expect(await reserve('first', { gasUsdMicros: 300n, ...sure })).toMatchObject({ granted: true, repayment: 'due' })
    await settle('first', 101n, false)
    expect(await reserve('home', { gasUsdMicros: 101n, ...home })).toMatchObject({ limit: 'dailyGas' })
    expect(await reserve('unpaid', { gasUsdMicros: 101n, isExit: true, isSure: true })).toMatchObject({
      limit: 'dailyGas',
    })
    expect(await reserve('no exit', { gasUsdMicros: 101n, isToRepay: true, isSure: true })).toMatchObject({
      limit: 'dailyGas',
    })
    for (const id of ['one', 'other']) {
      expect(await reserve(id, { gasUsdMicros: 300n, ...sure })).toMatchObject({ granted: true, repayment: 'sure' })
      expect(await raise(id, { gasUsdMicros: 310n, ...sure })).toMatchObject({ granted: true, repayment: 'sure' })
      await settle(id, 300n, true)
    }
    expect(await usage()).toMatchObject({ dailyDueExitGasUsdMicros: 101n, dailySureExitGasUsdMicros: 0n })
    // What failed all the same is bounded like everything else.
    await reserve('failed', { gasUsdMicros: 300n, ...sure })
    await settle('failed', 101n, false)
    expect(await usage()).toMatchObject({ dailySureExitGasUsdMicros: 101n })
    expect(await reserve('again', { gasUsdMicros: 101n, ...sure })).toMatchObject({ limit: 'dailyGas' })
    expect(await reserve('cheap', { gasUsdMicros: 100n, ...sure })).toMatchObject({ granted: true, repayment: null })
  })

  test('of ways home leaves the gas of other calls alone', async () => {
    await reserve('home', { gasUsdMicros: 100n, isExit: true })
    expect(await reserve('one', { gasUsdMicros: 100n })).toMatchObject({ granted: true })
  })

  test('is asked again where it is raised, and what is held is counted once', async () => {
    await reserve('other', { gasUsdMicros: 30n })
    await reserve('one', { gasUsdMicros: 40n })
    expect(await raise('one', { gasUsdMicros: 71n })).toMatchObject({ limit: 'dailyGas', usedUsdMicros: 30n })
    expect(await raise('one', { gasUsdMicros: 70n })).toMatchObject({ granted: true })
    const tightened = { ...limits, dailyGas: 99n }
    expect(await raise('one', { gasUsdMicros: 0n, limits: tightened })).toMatchObject({ limit: 'dailyGas' })
    await reserve('home', { gasUsdMicros: 60n, isExit: true })
    expect(await raise('home', { gasUsdMicros: 100n, isExit: true })).toMatchObject({ granted: true })
    expect(await usage()).toMatchObject({ dailyGasUsdMicros: 200n, dailyExitGasUsdMicros: 100n })
  })

  test('of a way home that no longer is one is held to every limit, and never the other way round', async () => {
    await reserve('one', { gasUsdMicros: 50n })
    await reserve('home', { gasUsdMicros: 60n, isExit: true })
    expect(await raise('home', { gasUsdMicros: 60n })).toMatchObject({ limit: 'dailyGas', usedUsdMicros: 50n })
    expect(await raise('one', { gasUsdMicros: 101n, isExit: true })).toMatchObject({ limit: 'dailyGas' })
    await store.ledger.release('one')
    expect(await raise('home', { gasUsdMicros: 60n })).toMatchObject({ granted: true })
    expect(await usage()).toMatchObject({ dailyGasUsdMicros: 60n, dailyExitGasUsdMicros: 0n })
  })

  test('counts fees raised on what is out, and gas that nothing was reserved for', async () => {
    await reserve('one', { gasUsdMicros: 40n })
    await store.ledger.coverGas(await mined('one', 'broadcast'), 30n)
    await reserve('home', { gasUsdMicros: 40n, isExit: true })
    await store.ledger.coverGas(await mined('home', 'broadcast'), 60n)
    expect(await reserve('two', { gasUsdMicros: 31n })).toMatchObject({ limit: 'dailyGas', usedUsdMicros: 70n })
    expect(await reserve('back', { gasUsdMicros: 1n, isExit: true })).toMatchObject({ limit: 'dailyGas' })
    await store.ledger.countGas([{ hash: await mined(null), usdMicros: 25n, wei: 1n }])
    expect(await reserve('two', { gasUsdMicros: 6n })).toMatchObject({ limit: 'dailyGas', usedUsdMicros: 95n })
  })

  test('is the same after a restart, and settles as what it was', async () => {
    await reserve('home', { gasUsdMicros: 60n, isExit: true })
    await reserve('one', { gasUsdMicros: 70n })
    const hash = await mined('home')
    await store.close()
    store = await reopen()
    expect(await store.ledger.releaseUnsigned()).toEqual(['one'])
    expect(await usage()).toMatchObject({ dailyGasUsdMicros: 60n, dailyExitGasUsdMicros: 60n })
    await store.ledger.settle('home', 0n, [{ hash, usdMicros: 15n, wei: 1n }])
    expect(await usage()).toMatchObject({ dailyGasUsdMicros: 15n, dailyExitGasUsdMicros: 15n })
  })

  test('holds however many race', async () => {
    const verdicts = await Promise.all(
      Array.from({ length: 60 }, (_, index) => reserve(`${index}`, { gasUsdMicros: 4n, isExit: index % 2 === 0 })),
    )
    expect(verdicts.filter(({ granted }) => granted)).toHaveLength(50)
    expect(await usage()).toMatchObject({ dailyGasUsdMicros: 200n, dailyExitGasUsdMicros: 100n })
  })
})

const { dailyGas: _none, ...without } = limits

type Asked = Partial<
  Pick<CheckRequest, 'principal' | 'amountUsdMicros' | 'gasUsdMicros' | 'isExit' | 'isToRepay' | 'isSure' | 'limits'>
>

function asked(change: Asked): CheckRequest {
  return { principal: 'agent', chainId: 1, amountUsdMicros: 0n, limits, sessionIdleMs, ...change }
}

function reserve(id: string, change: Asked) {
  return store.ledger.reserve({ ...asked(change), id, requestId: `request-of-${id}` })
}

function raise(id: string, change: Asked) {
  return store.ledger.raise(id, asked(change))
}

function usage() {
  return store.ledger.usage('agent', { sessionIdleMs })
}

function reopen(): Promise<Store> {
  return openStore({ ...at.place, now: () => clock })
}

async function mined(reservationId: string | null, state: 'final' | 'broadcast' = 'final'): Promise<string> {
  const from = '0x00000000000000000000000000000000000000aa' as const
  const nonce = (await store.journal.nextNonce(1, from)) ?? 0
  const hash = `0x${nonce.toString(16).padStart(64, '0')}` as const
  const slot = { requestId: `request-of-${reservationId}`, step: nonce, chainId: 1, from, nonce, attempt: 0 }
  await store.journal.recordSigned({ ...slot, rawTransaction: '0x02', hash, reservationId })
  await store.journal.mark(hash, state)
  return hash
}
