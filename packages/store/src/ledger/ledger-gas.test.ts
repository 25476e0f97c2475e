import { randomBytes } from 'node:crypto'
import type { JournalState } from '@svc/wallet/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import type { CheckRequest } from './weigh-spend.ts'
import { openStore, type Store } from '../open-store.ts'

const limits = { perTransaction: 500n, perSession: 1_000n, daily: 1_200n }
const sessionIdleMs = 1_800_000
const dayMs = 86_400_000
const native = '0x0000000000000000000000000000000000000000'
let clock = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('G4: gas in the ledger on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = 1_700_000_000_000
    at = await newPlace()
    store = await openStore({ ...at.place, now: () => clock })
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('each limit holds over amount and gas together', async () => {
    expect(await reserve('one', 400n, 101n)).toMatchObject({ limit: 'perTransaction', askedUsdMicros: 501n })
    expect(await reserve('one', 400n, 100n)).toMatchObject({ granted: true })
    expect(await reserve('two', 0n, 500n)).toMatchObject({ granted: true, used: { session: 500n, daily: 500n } })
    expect(await reserve('three', 0n, 1n)).toMatchObject({ limit: 'perSession', usedUsdMicros: 1_000n })
    expect(await reserve('three', 100n, 101n, 'other')).toMatchObject({ limit: 'daily', usedUsdMicros: 1_000n })
    expect(await reserve('three', 0n, 200n, 'other')).toMatchObject({ granted: true })
    expect(await usage()).toMatchObject({ sessionUsdMicros: 1_000n, sessionGasUsdMicros: 600n })
    expect(await usage()).toMatchObject({ dailyUsdMicros: 1_200n, dailyGasUsdMicros: 800n })
    expect(await store.ledger.open()).toMatchObject([
      { amountUsdMicros: 400n, gasUsdMicros: 100n },
      { amountUsdMicros: 0n, gasUsdMicros: 500n },
      { amountUsdMicros: 0n, gasUsdMicros: 200n },
    ])
  })

  test('a long row of writes that spend nothing is stopped by their gas alone', async () => {
    const spend = async (index: number) => {
      const id = `tiny-${index}`
      const verdict = await reserve(id, 0n, 90n, `agent-${index % 5}`)
      if (verdict.granted) {
        await store.ledger.settle(id, 0n, [{ hash: await mined({ reservationId: id }), usdMicros: 30n, wei: 1n }])
      }
      return verdict
    }
    // Each settles at thirty, and the next must find room for the ninety it may cost at worst.
    for (let index = 0; index < 38; index += 1) expect(await spend(index)).toMatchObject({ granted: true })
    expect(await spend(38)).toMatchObject({ granted: false, limit: 'daily', usedUsdMicros: 1_140n })
    expect(await usage()).toMatchObject({ dailyUsdMicros: 1_140n, dailyGasUsdMicros: 1_140n })
    clock += dayMs
    expect(await reserve('tomorrow', 0n, 30n)).toMatchObject({ granted: true })
  })

  test('a raise lifts either part, asks the limits for both, and gives nothing back', async () => {
    await reserve('grows', 200n, 50n)
    const raise = (amountUsdMicros: bigint, gasUsdMicros: bigint) =>
      store.ledger.raise('grows', { amountUsdMicros, gasUsdMicros, limits, sessionIdleMs })
    expect(await raise(100n, 300n)).toMatchObject({ granted: true })
    expect(await store.ledger.open()).toMatchObject([{ amountUsdMicros: 200n, gasUsdMicros: 300n }])
    expect(await raise(201n, 300n)).toMatchObject({ limit: 'perTransaction', askedUsdMicros: 501n })
    expect(await raise(150n, 350n)).toMatchObject({ granted: false, askedUsdMicros: 550n })
    expect(await store.ledger.open()).toMatchObject([{ amountUsdMicros: 200n, gasUsdMicros: 300n }])
    await expect(raise(1n, -1n)).rejects.toMatchObject({ code: 'AMOUNT_INVALID' })
  })

  test('gas that rises may come out of the amount, by no more than it rises', async () => {
    await reserve('full', 450n, 50n)
    const raise = (amountUsdMicros: bigint, gasUsdMicros: bigint, gasOutOfAmount = true) =>
      store.ledger.raise('full', { amountUsdMicros, gasUsdMicros, gasOutOfAmount, limits, sessionIdleMs })
    expect(await raise(440n, 60n, false)).toMatchObject({ granted: false, askedUsdMicros: 510n })
    expect(await raise(440n, 60n)).toMatchObject({ granted: true })
    expect(await store.ledger.open()).toMatchObject([{ amountUsdMicros: 440n, gasUsdMicros: 60n }])
    expect(await raise(0n, 70n)).toMatchObject({ granted: true })
    expect(await store.ledger.open()).toMatchObject([{ amountUsdMicros: 430n, gasUsdMicros: 70n }])
    expect(await raise(0n, 20n)).toMatchObject({ granted: true })
    expect(await store.ledger.open()).toMatchObject([{ amountUsdMicros: 430n, gasUsdMicros: 70n }])
    expect(await raise(431n, 70n)).toMatchObject({ limit: 'perTransaction', askedUsdMicros: 501n })
    await expect(raise(-1n, 70n)).rejects.toMatchObject({ code: 'AMOUNT_INVALID' })
  })

  test('higher fees of what is out are covered without asking a limit, each step up to what it may cost', async () => {
    await reserve('out', 400n, 100n)
    const [approval, main] = [await drawn('out', 'broadcast'), await drawn('out', 'broadcast')]
    // The audit log could not be written after it, and the same raise is tried again, and again.
    for (const _ of [1, 2, 3]) await store.ledger.coverGas(approval, 4_000n)
    await store.ledger.coverGas(approval, 3_000n)
    await store.ledger.coverGas(main, 1_000n)
    expect(await usage()).toMatchObject({ dailyUsdMicros: 5_500n, dailyGasUsdMicros: 5_100n })
    await store.ledger.coverGas(approval, 4_001n)
    expect(await usage()).toMatchObject({ dailyUsdMicros: 5_501n, dailyGasUsdMicros: 5_101n })
    expect(await reserve('next', 0n, 1n, 'other')).toMatchObject({ granted: false, limit: 'daily' })
    await expect(store.ledger.coverGas(main, -1n)).rejects.toMatchObject({ code: 'AMOUNT_INVALID' })
    await store.ledger.settle('out', 400n, [])
    await store.ledger.coverGas(main, 9_000n)
    await store.ledger.coverGas(await mined(), 9_000n)
    expect(await usage()).toMatchObject({ dailyUsdMicros: 400n })
  })

  test('a settlement takes the gas of each transaction once, whatever became of it', async () => {
    await reserve('one', 100n, 90n)
    const [approval, main, reverted] = [await drawn('one'), await drawn('one'), await drawn('one', 'reverted')]
    const gas = [approval, main, reverted, main].map((hash) => ({ hash, usdMicros: 20n, wei: 1n }))
    const left = new Map([['0xaa', 5n]])
    await store.ledger.settle('one', 80n, gas, [], { amounts: left })
    await store.ledger.settle('one', 80n, gas, [], { amounts: left })
    await store.ledger.countGas(gas)
    expect(await usage()).toMatchObject({ dailyUsdMicros: 140n, dailyGasUsdMicros: 60n })
    expect(await store.ledger.uncountedGas(1)).toEqual([])
    expect(await store.ledger.outflows(1, 0)).toEqual([
      { usdMicros: 140n, amounts: new Map([...left, [native, 3n]]), settledAt: clock },
    ])
  })

  test('what burnt gas cannot be given back', async () => {
    await reserve('burnt', 100n, 90n)
    await drawn('burnt', 'reverted')
    await expect(store.ledger.release('burnt')).rejects.toMatchObject({ code: 'RESERVATION_IN_USE' })
  })

  test('gas that nothing was reserved for is found and counted, of whoever asked for the request', async () => {
    await reserve('one', 100n, 90n)
    const waits = await drawn('one')
    const [revoke, noOp] = [await mined({ requestId: 'request-of-one' }), await mined({ requestId: 'no-op:1:0xabc:7' })]
    await mined({ state: 'broadcast' })
    expect(await store.ledger.uncountedGas(2)).toEqual([])
    expect(await store.ledger.uncountedGas(1)).toEqual([
      { hash: revoke, requestId: 'request-of-one' },
      { hash: noOp, requestId: 'no-op:1:0xabc:7' },
    ])
    await store.ledger.countGas([
      { hash: revoke, usdMicros: 5_000n, wei: 1n },
      { hash: noOp, usdMicros: 7n, wei: 1n },
    ])
    expect(await store.ledger.outflows(1, 0)).toContainEqual({
      usdMicros: 7n,
      amounts: new Map([[native, 1n]]),
      settledAt: clock,
    })
    expect(await usage()).toMatchObject({ sessionUsdMicros: 5_190n, principalDailyUsdMicros: 5_190n })
    expect(await usage('server')).toMatchObject({ principalDailyUsdMicros: 7n, dailyUsdMicros: 5_197n })
    expect(await reserve('next', 0n, 1n, 'other')).toMatchObject({ granted: false, limit: 'daily' })
    // Settled without it, as by a call that did not see the receipt: it is found then.
    await store.ledger.settle('one', 0n)
    expect(await store.ledger.uncountedGas(1)).toEqual([{ hash: waits, requestId: 'request-of-one' }])
    await expect(store.ledger.countGas([{ hash: waits, usdMicros: -1n, wei: 1n }])).rejects.toMatchObject({
      code: 'AMOUNT_INVALID',
    })
    expect(await store.ledger.uncountedGas(1)).toHaveLength(1)
  })

  test('counted by many at once it counts once', async () => {
    const hashes = [await mined(), await mined()]
    const gas = hashes.map((hash) => ({ hash, usdMicros: 11n, wei: 1n }))
    await Promise.all(Array.from({ length: 10 }, () => store.ledger.countGas(gas)))
    expect(await usage()).toMatchObject({ dailyUsdMicros: 22n, dailyGasUsdMicros: 22n })
    clock += dayMs
    expect(await usage()).toMatchObject({ dailyUsdMicros: 0n })
  })
})

function reserve(id: string, amountUsdMicros: bigint, gasUsdMicros: bigint, principal = 'agent') {
  const asked: CheckRequest = { principal, chainId: 1, amountUsdMicros, gasUsdMicros, limits, sessionIdleMs }
  return store.ledger.reserve({ ...asked, id, requestId: `request-of-${id}` })
}

function drawn(reservationId: string, state: JournalState = 'final'): Promise<string> {
  return mined({ reservationId, requestId: `request-of-${reservationId}`, state })
}

async function mined(
  of: { readonly reservationId?: string; readonly requestId?: string; readonly state?: JournalState } = {},
): Promise<string> {
  const { reservationId = null, requestId = 'nobody', state = 'final' } = of
  const from = '0x00000000000000000000000000000000000000aa' as const
  const nonce = (await store.journal.nextNonce(1, from)) ?? 0
  const hash = `0x${randomBytes(32).toString('hex')}` as const
  const slot = { requestId, step: nonce, chainId: 1, from, nonce, attempt: 0 }
  await store.journal.recordSigned({ ...slot, rawTransaction: '0x02', hash, reservationId })
  await store.journal.mark(hash, state, { gasUsed: 21_000n })
  return hash
}

function usage(principal = 'agent') {
  return store.ledger.usage(principal, { sessionIdleMs })
}
