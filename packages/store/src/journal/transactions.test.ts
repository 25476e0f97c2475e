import type { JournalState, NewJournalEntry } from '@svc/wallet/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'

const clock = { now: 1_000 }
const by = 'operator:ada'
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    at = await newPlace()
    clock.now = 1_000
    store = await openStore({ ...at.place, now: () => clock.now })
  })
  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  const record = async (nonce: number, state: JournalState = 'broadcast', change: Partial<NewJournalEntry> = {}) => {
    const entry = entryAt(nonce, change)
    await store.journal.recordSigned(entry)
    if (state !== 'signed') await store.journal.mark(entry.hash, state)
    return entry.hash
  }

  test('what is asked outlives whoever asked, and ends once', async () => {
    const hash = await record(1)
    expect(await store.transactions.asked()).toEqual([])
    const beside = await openStore({ ...at.place, now: () => clock.now })
    await beside.transactions.ask(hash, { what: 'cancel', by })
    await beside.close()
    const asked = { what: 'cancel', by, at: 1_000, outcome: null }
    expect(await store.transactions.asked()).toMatchObject([{ hash, state: 'broadcast', asked }])
    clock.now = 2_000
    await store.transactions.ask(hash, { what: 'cancel', by: 'operator:eve' })
    expect((await store.transactions.byHash(hash))?.asked).toEqual(asked)
    await store.journal.mark(hash, 'replaced')
    await store.transactions.endAsked(hash, 'cancel', 'cancelled')
    expect(await store.transactions.asked()).toEqual([])
    expect((await store.transactions.byHash(hash))?.asked).toEqual({ ...asked, outcome: 'cancelled' })
  })

  test('another request takes the place of one that waits or has ended', async () => {
    const hash = await record(1)
    await store.transactions.ask(hash, { what: 'cancel', by })
    clock.now = 2_000
    const taker = entryAt(7).hash
    await store.transactions.ask(hash, { what: taker, by })
    expect(await store.transactions.asked()).toMatchObject([{ asked: { what: taker, at: 2_000 } }])
    // Whoever looked before it was asked ends what it saw, and no more.
    await store.transactions.endAsked(hash, 'cancel', 'cancelled')
    expect((await store.transactions.byHash(hash))?.asked).toMatchObject({ what: taker, outcome: null })
    await store.transactions.endAsked(hash, taker, 'not-proved')
    await store.transactions.endAsked(hash, taker, 'superseded')
    expect((await store.transactions.byHash(hash))?.asked).toMatchObject({ outcome: 'not-proved' })
    clock.now = 3_000
    await store.transactions.ask(hash, { what: taker, by })
    expect(await store.transactions.asked()).toMatchObject([{ asked: { what: taker, at: 3_000, outcome: null } }])
  })

  test.each([
    ['signed', 'takes', 'takes'],
    ['broadcast', 'takes', 'takes'],
    ['refused', 'JOURNAL_ENTRY_CLOSED', 'takes'],
    ['mined', 'JOURNAL_ENTRY_CLOSED', 'JOURNAL_ENTRY_CLOSED'],
    ['final', 'JOURNAL_ENTRY_CLOSED', 'JOURNAL_ENTRY_CLOSED'],
    ['reverted', 'JOURNAL_ENTRY_CLOSED', 'JOURNAL_ENTRY_CLOSED'],
    ['replaced', 'JOURNAL_ENTRY_CLOSED', 'JOURNAL_ENTRY_CLOSED'],
    ['superseded', 'JOURNAL_ENTRY_CLOSED', 'JOURNAL_ENTRY_CLOSED'],
  ] as const)('of one that is %s: a cancellation %s, a resolution %s', async (state, cancel, resolve) => {
    const hash = await record(1, state)
    const outcome = (what: 'cancel' | `0x${string}`) =>
      store.transactions.ask(hash, { what, by }).then(
        () => 'takes',
        (error: { code: string }) => error.code,
      )
    expect([await outcome('cancel'), await outcome(entryAt(7).hash)]).toEqual([cancel, resolve])
    expect(await store.transactions.asked()).toHaveLength(resolve === 'takes' ? 1 : 0)
  })

  test('nothing is asked about a transaction that the journal does not hold', async () => {
    const asking = store.transactions.ask(entryAt(1).hash, { what: 'cancel', by })
    await expect(asking).rejects.toMatchObject({ code: 'JOURNAL_ENTRY_UNKNOWN' })
    expect(await store.transactions.byHash(entryAt(1).hash)).toBeNull()
  })

  test('lists those of every wallet and chain, the newest of too many, and names wallets with something open', async () => {
    const first = await record(1)
    const other = await record(1, 'refused', { from: eve, hash: `0x${'ee'.repeat(32)}` })
    await record(2, 'final')
    const away = await record(3, 'signed', { chainId: 10 })
    await record(4, 'superseded', { from: `0x${'33'.repeat(20)}` })
    const states = ['signed', 'broadcast', 'mined', 'refused'] as const
    const listed = await store.transactions.list({ states, limit: 9 })
    expect(listed.map(({ hash }) => hash)).toEqual([first, other, away])
    expect((await store.transactions.list({ states })).map(({ hash }) => hash)).toEqual([first, other, away])
    expect([await store.transactions.count(states), await store.transactions.count(['final'])]).toEqual([3, 1])
    expect((await store.transactions.list({ states, limit: 1 })).map(({ hash }) => hash)).toEqual([away])
    expect(await store.transactions.wallets(1)).toEqual(expect.arrayContaining([ada, eve]))
    expect(await store.transactions.wallets(1)).toHaveLength(2)
    expect(await store.transactions.wallets(10)).toEqual([ada])
    expect(await store.transactions.byNonce(1, eve.toUpperCase().replace('0X', '0x') as never, 1)).toMatchObject([
      { hash: other, asked: null },
    ])
  })
})

const ada = `0x${'11'.repeat(20)}` as const
const eve = `0x${'ab'.repeat(20)}` as const

function entryAt(nonce: number, change: Partial<NewJournalEntry> = {}): NewJournalEntry {
  const hash = `0x${`${nonce}`.padStart(64, '0')}` as const
  const slot = { chainId: 1, from: ada, nonce, attempt: 0, reservationId: null }
  return { requestId: `request-${nonce}`, step: 0, ...slot, rawTransaction: '0x02', hash, ...change }
}
