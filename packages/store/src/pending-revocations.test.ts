import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useEngines, type TestPlace } from './engines.fixture.ts'
import { openStore, type Store } from './open-store.ts'
import type { PendingRevocation } from './pending-revocations.ts'

const one: PendingRevocation = {
  chainId: 1,
  owner: '0x00000000000000000000000000000000000000Aa',
  token: '0x0000000000000000000000000000000000001111',
  spender: '0x0000000000000000000000000000000000002222',
}
const two: PendingRevocation = { ...one, token: '0x0000000000000000000000000000000000003333' }
const three: PendingRevocation = { ...one, chainId: 10 }

describe.each(useEngines())('what is to be taken back, on $engine', ({ newPlace }) => {
  let at: TestPlace
  let store: Store

  const open = () => openStore({ ...at.place, now: () => 1_000 })
  const again = async () => {
    await store.close()
    store = await open()
    return store.pendingRevocations
  }

  beforeEach(async () => {
    at = await newPlace()
    store = await open()
  })
  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  it('is remembered across restarts, counted once, and forgotten when it is done', async () => {
    await store.pendingRevocations.add([one])
    const pending = await again()
    const inOtherLetters = { ...two, token: two.token.toUpperCase().replace('X', 'x') as `0x${string}` }
    await Promise.all([pending.add([two, one]), pending.add([inOtherLetters])])
    expect(await (await again()).list()).toEqual([one, two])
    await store.pendingRevocations.remove([one])
    expect(await store.pendingRevocations.list()).toEqual([two])
  })

  it('is kept apart when it has ended, across restarts, until it is removed or owed again', async () => {
    await store.pendingRevocations.add([one, two])
    await store.pendingRevocations.end([
      { ...one, endedIn: '7' },
      { ...two, endedIn: '7' },
    ])
    const pending = await again()
    expect([await pending.list(), await pending.ended()]).toEqual([
      [],
      [
        { ...one, endedIn: '7' },
        { ...two, endedIn: '7' },
      ],
    ])
    await pending.add([one])
    await pending.remove([two])
    expect([await pending.list(), await pending.ended()]).toEqual([[one], []])
    await pending.end([{ ...two, endedIn: '8' }])
    expect(await pending.ended()).toEqual([])
  })

  it('holds the right of one signature apart from that of another over the same position', async () => {
    const { pendingRevocations: pending } = store
    const first = { ...one, position: { tokenId: '7', nonce: '0', deadline: 600 } }
    const later = { ...one, position: { ...first.position, deadline: 900 } }
    await pending.add([one, first, later])
    await pending.add([{ ...later, position: { ...later.position } }])
    expect(await pending.list()).toEqual([one, first, later])
    await pending.remove([first])
    expect(await pending.list()).toEqual([one, later])
  })

  it('counts how often taking one back failed, while it is owed and not otherwise', async () => {
    await store.pendingRevocations.add([one, two])
    await store.pendingRevocations.failed(one, 1_000)
    await store.pendingRevocations.failed(one, 2_000)
    const pending = await again()
    await pending.add([one])
    expect(await pending.list()).toEqual([{ ...one, failed: { times: 2, at: 2_000 } }, two])
    await pending.remove([one])
    await pending.failed(one, 3_000)
    expect(await pending.list()).toEqual([two])
  })

  it('is there with the signature that owes it, or neither is', async () => {
    const slot = { requestId: 'r', step: 0, chainId: 1, from: one.owner, nonce: 0, attempt: 0, reservationId: null }
    const entry = { ...slot, rawTransaction: '0x', hash: `0x${'01'.repeat(32)}` } as const
    const drawing = { ...entry, reservationId: 'none' }
    await expect(store.journal.recordSigned(drawing, [one])).rejects.toMatchObject({ code: 'RESERVATION_NOT_OPEN' })
    expect(await store.pendingRevocations.list()).toEqual([])
    await store.journal.recordSigned(entry, [one, two])
    expect(await (await again()).list()).toEqual([one, two])
    await expect(store.journal.recordSigned(entry, [three])).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
    expect(await store.pendingRevocations.list()).toEqual([one, two])
  })

  it('ends with the settlement of what it was for, or stays owed when that fails', async () => {
    const limits = { perTransaction: 10n, perSession: 10n, daily: 10n, dailyGas: 10n }
    const spend = { principal: 'p', chainId: 1, amountUsdMicros: 1n, gasUsdMicros: 0n, limits, sessionIdleMs: 60_000 }
    await store.ledger.reserve({ ...spend, id: 'r/0', requestId: 'r' })
    await store.pendingRevocations.add([one])
    const came = { ended: [{ ...one, endedIn: '7' }] }
    await expect(store.ledger.settle('unknown', 1n, [], [], came)).rejects.toMatchObject({
      code: 'RESERVATION_NOT_OPEN',
    })
    expect(await store.pendingRevocations.list()).toEqual([one])
    await store.ledger.settle('r/0', 1n, [], [], came)
    expect([await store.pendingRevocations.list(), await store.pendingRevocations.ended()]).toEqual([[], came.ended])
  })
})
