import assert from 'node:assert/strict'
import type { Address, Hash } from 'viem'
import type { Journal, JournalState, NewJournalEntry } from '../journal.ts'

/**
 * What every journal must do, as named cases that throw when broken. Each case gets a fresh, empty journal whose clock
 * stands at `contractTime`.
 */
export const journalContract: readonly JournalCase[] = [
  {
    name: 'gives back what was recorded, by hash, by request and by nonce',
    async run(journal) {
      const entry = sample({ reservationId: 'reservation-1' })
      const recorded = await journal.recordSigned(entry)
      assert.deepEqual(recorded, { ...entry, state: 'signed', signedAt: contractTime })
      assert.deepEqual(await journal.byHash(entry.hash), recorded)
      assert.deepEqual(await journal.byRequest(entry.requestId), [recorded])
      assert.deepEqual(await journal.byNonce(entry.chainId, entry.from, entry.nonce), [recorded])
      assert.deepEqual(await journal.open(entry.chainId, entry.from), [recorded])
    },
  },
  {
    name: 'keeps how an entry goes out, whatever becomes of it, until a private one is published',
    async run(journal) {
      const entry = sample({ submission: 'private' })
      assert.equal((await journal.recordSigned(entry)).submission, 'private')
      await journal.recordSigned(sample({ hash: hashOf(2), attempt: 1 }))
      await journal.mark(entry.hash, 'broadcast')
      assert.deepEqual(
        (await journal.byNonce(entry.chainId, entry.from, entry.nonce)).map(({ submission }) => submission),
        ['private', undefined],
      )
      for (const hash of [entry.hash, entry.hash, hashOf(2), hashOf(9)]) await journal.publish?.(hash)
      assert.equal((await journal.byHash(entry.hash))?.submission, 'public')
      assert.equal((await journal.byHash(hashOf(2)))?.submission, undefined)
      await journal.mark(entry.hash, 'final')
      assert.equal((await journal.byHash(entry.hash))?.submission, 'public')
    },
  },
  {
    name: 'answers an unknown hash, request or nonce with nothing',
    async run(journal) {
      assert.equal(await journal.byHash(hashOf(9)), null)
      assert.deepEqual(await journal.byRequest('nobody'), [])
      assert.deepEqual(await journal.byNonce(1, alice, 0), [])
      assert.deepEqual(await journal.open(1, alice), [])
      assert.equal(await journal.nextNonce(1, alice), null)
      await rejects(journal.mark(hashOf(9), 'broadcast'), 'JOURNAL_ENTRY_UNKNOWN')
    },
  },
  {
    name: 'holds an attempt at a nonce once, whatever the case of the address',
    async run(journal) {
      await journal.recordSigned(sample({}))
      await rejects(journal.recordSigned(sample({ hash: hashOf(2) })), 'JOURNAL_CONFLICT')
      await rejects(journal.recordSigned(sample({ hash: hashOf(2), from: lower(alice) })), 'JOURNAL_CONFLICT')
      await rejects(journal.recordSigned(sample({ nonce: 8 })), 'JOURNAL_CONFLICT')
      assert.equal(await journal.byHash(hashOf(2)), null)
      assert.equal((await journal.open(1, alice)).length, 1)
    },
  },
  {
    name: 'holds a step of a request at one nonce of an account, and its further attempts there',
    async run(journal) {
      const requestId = 'paid-once'
      await journal.recordSigned(sample({ requestId }))
      await rejects(journal.recordSigned(sample({ requestId, nonce: 8, hash: hashOf(2) })), 'JOURNAL_CONFLICT')
      await journal.mark(hashOf(1), 'refused')
      await rejects(journal.recordSigned(sample({ requestId, nonce: 8, hash: hashOf(2) })), 'JOURNAL_CONFLICT')
      await journal.recordSigned(sample({ requestId, attempt: 1, hash: hashOf(3) }))
      await journal.recordSigned(sample({ requestId, step: 1, nonce: 8, hash: hashOf(4) }))
      await journal.recordSigned(sample({ requestId, chainId: 10, nonce: 8, hash: hashOf(5) }))
      assert.deepEqual(hashes(await journal.byRequest(requestId)), [1, 3, 4, 5].map(hashOf))
    },
  },
  {
    name: 'lets one of many racers win a nonce',
    async run(journal) {
      const racers = Array.from({ length: 40 }, (_, index) => journal.recordSigned(sample({ hash: hashOf(index) })))
      const outcomes = await Promise.allSettled(racers)
      assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1)
      assert.equal((await journal.open(1, alice)).length, 1)
    },
  },
  {
    name: 'keeps attempts at one nonce apart, chains apart and accounts apart',
    async run(journal) {
      await journal.recordSigned(sample({}))
      await journal.recordSigned(sample({ hash: hashOf(2), attempt: 1 }))
      await journal.recordSigned(sample({ hash: hashOf(3), chainId: 10 }))
      await journal.recordSigned(sample({ hash: hashOf(4), from: bob, nonce: 3 }))
      assert.deepEqual(hashes(await journal.byNonce(1, lower(alice), 7)), [hashOf(1), hashOf(2)])
      assert.deepEqual(hashes(await journal.open(10, alice)), [hashOf(3)])
      assert.equal(await journal.nextNonce(1, bob), 4)
    },
  },
  {
    name: 'counts every nonce but a refused one as used',
    async run(journal) {
      await journal.recordSigned(sample({ nonce: 3, hash: hashOf(3) }))
      await journal.recordSigned(sample({ nonce: 5, hash: hashOf(5) }))
      assert.equal(await journal.nextNonce(1, alice), 6)
      for (const state of ['broadcast', 'mined', 'final'] as const) {
        await journal.mark(hashOf(5), state)
        assert.equal(await journal.nextNonce(1, lower(alice)), 6)
      }
      await journal.recordSigned(sample({ nonce: 6, hash: hashOf(6) }))
      await journal.mark(hashOf(6), 'refused')
      assert.equal(await journal.nextNonce(1, alice), 6)
    },
  },
  {
    name: 'lists open entries alone, lowest nonce first',
    async run(journal) {
      for (const nonce of [9, 4, 6, 2]) await journal.recordSigned(sample({ nonce, hash: hashOf(nonce) }))
      await journal.mark(hashOf(6), 'superseded')
      await journal.mark(hashOf(4), 'mined', { blockNumber: 1n, blockHash: hashOf(70), gasUsed: 21_000n })
      assert.deepEqual(hashes(await journal.open(1, alice)), [hashOf(2), hashOf(4), hashOf(9)])
    },
  },
  {
    name: 'keeps block facts exactly, and drops them when a reorg takes the block away',
    async run(journal) {
      const entry = await journal.recordSigned(sample({}))
      const facts = { blockNumber: 2n ** 53n + 1n, blockHash: hashOf(71), gasUsed: 2n ** 62n + 1n }
      await journal.mark(entry.hash, 'mined', facts)
      assert.deepEqual(await journal.byHash(entry.hash), { ...entry, ...facts, state: 'mined' })
      await journal.mark(entry.hash, 'broadcast')
      assert.deepEqual(await journal.byHash(entry.hash), { ...entry, state: 'broadcast' })
      const later = { blockNumber: 12n, blockHash: hashOf(72), gasUsed: 30_000n }
      await journal.mark(entry.hash, 'mined', later)
      await journal.mark(entry.hash, 'mined', later)
      await journal.mark(entry.hash, 'final', later)
      assert.deepEqual(await journal.byHash(entry.hash), { ...entry, ...later, state: 'final' })
    },
  },
  {
    name: 'lets nothing out of a closed state, and takes the same mark twice',
    async run(journal) {
      for (const [index, closed] of closedStates.entries()) {
        const entry = await journal.recordSigned(sample({ nonce: index, hash: hashOf(index) }))
        const facts = { blockNumber: 5n, blockHash: hashOf(73), gasUsed: 1n }
        await journal.mark(entry.hash, closed, facts)
        await journal.mark(entry.hash, closed)
        const mayLeave = closed === 'refused' || closed === 'superseded'
        const mayBeUndone = closed === 'reverted' || closed === 'replaced'
        const isShut = (state: JournalState) =>
          state !== closed && !(mayLeave && found.includes(state)) && !(mayBeUndone && state === 'refused')
        const shut = allStates.filter(isShut)
        for (const state of shut) {
          await rejects(journal.mark(entry.hash, state), 'JOURNAL_ENTRY_CLOSED')
        }
        assert.deepEqual(await journal.byHash(entry.hash), { ...entry, ...facts, state: closed })
      }
    },
  },
  {
    name: 'lists what was refused, and lets it become what the chain shows',
    async run(journal) {
      for (const [index, state] of found.entries()) {
        const entry = await journal.recordSigned(sample({ nonce: 9 - index, hash: hashOf(index) }))
        await journal.mark(entry.hash, 'refused')
        await journal.recordSigned(sample({ nonce: 30 + index, hash: hashOf(50 + index) }))
        assert.deepEqual(hashes(await journal.refused(1, lower(alice))), [entry.hash])
        assert.deepEqual(await journal.refused(10, alice), [])
        const facts = { blockNumber: 5n, blockHash: hashOf(73), gasUsed: 1n }
        await journal.mark(entry.hash, state, facts)
        assert.deepEqual(await journal.byHash(entry.hash), { ...entry, ...facts, state })
        assert.deepEqual(await journal.refused(1, alice), [])
      }
      await journal.recordSigned(sample({ nonce: 21, hash: hashOf(21) }))
      await journal.recordSigned(sample({ nonce: 20, hash: hashOf(20) }))
      for (const nonce of [21, 20]) await journal.mark(hashOf(nonce), 'refused')
      assert.deepEqual(hashes(await journal.refused(1, alice)), [hashOf(20), hashOf(21)])
    },
  },
  {
    name: 'frees the nonce of what has reverted or was replaced when its block is undone',
    async run(journal) {
      for (const [index, state] of (['reverted', 'replaced'] as const).entries()) {
        const entry = await journal.recordSigned(sample({ nonce: index, hash: hashOf(index) }))
        await journal.mark(entry.hash, state, { blockNumber: 5n, blockHash: hashOf(73), gasUsed: 1n })
        await journal.mark(entry.hash, 'refused')
        assert.deepEqual(await journal.byHash(entry.hash), { ...entry, state: 'refused' })
      }
      assert.equal(await journal.nextNonce(1, alice), null)
    },
  },
  {
    name: 'lets what was called superseded become what the chain shows after all',
    async run(journal) {
      for (const [index, state] of found.entries()) {
        const entry = await journal.recordSigned(sample({ nonce: index, hash: hashOf(index) }))
        await journal.mark(entry.hash, 'superseded')
        const facts = state === 'superseded' ? {} : { blockNumber: 5n, blockHash: hashOf(73), gasUsed: 1n }
        await journal.mark(entry.hash, state, facts)
        assert.deepEqual(await journal.byHash(entry.hash), { ...entry, ...facts, state })
      }
    },
  },
  {
    name: 'refuses to call refused what may be out',
    async run(journal) {
      for (const [index, state] of (['broadcast', 'mined'] as const).entries()) {
        const entry = await journal.recordSigned(sample({ nonce: index, hash: hashOf(index) }))
        await journal.mark(entry.hash, state)
        await rejects(journal.mark(entry.hash, 'refused'), 'JOURNAL_ENTRY_CLOSED')
      }
    },
  },
  {
    name: 'lists the transactions of a request in the order they were signed',
    async run(journal) {
      await journal.recordSigned(sample({ requestId: 'r', step: 1, nonce: 9, hash: hashOf(1) }))
      await journal.recordSigned(sample({ requestId: 'r', step: 0, nonce: 8, hash: hashOf(2) }))
      await journal.recordSigned(sample({ requestId: 'other', nonce: 10, hash: hashOf(3) }))
      assert.deepEqual(hashes(await journal.byRequest('r')), [hashOf(1), hashOf(2)])
    },
  },
]

/** Where the clock of a journal under test stands, in Unix milliseconds. */
export const contractTime = 1_700_000_000_000

/** One promise of a journal; `run` throws when it is broken. */
export type JournalCase = { readonly name: string; readonly run: (journal: Journal) => Promise<void> }

const closedStates = ['final', 'reverted', 'replaced', 'superseded', 'refused'] as const
/** What a refused or superseded transaction may turn out to be. */
const found: readonly JournalState[] = ['mined', 'final', 'reverted', 'replaced', 'superseded']
const allStates: readonly JournalState[] = ['signed', 'broadcast', 'mined', ...closedStates]
const alice: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const bob: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

function sample(change: Partial<NewJournalEntry>): NewJournalEntry {
  return {
    requestId: `request-${change.nonce ?? 7}`,
    step: 0,
    chainId: 1,
    from: alice,
    nonce: 7,
    attempt: 0,
    rawTransaction: '0x02f8',
    hash: hashOf(1),
    reservationId: null,
    ...change,
  }
}

function hashOf(index: number): Hash {
  return `0x${index.toString(16).padStart(64, '0')}`
}

function lower(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`
}

function hashes(entries: readonly { readonly hash: Hash }[]): Hash[] {
  return entries.map((entry) => entry.hash)
}

function rejects(work: Promise<unknown>, code: string): Promise<void> {
  return assert.rejects(work, { code })
}
