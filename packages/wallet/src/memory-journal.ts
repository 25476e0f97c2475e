import type { Hash } from 'viem'
import type { Journal, JournalEntry, JournalState, NewJournalEntry } from './journal.ts'
import { WalletError } from './wallet-error.ts'

/**
 * A journal that lasts as long as the process: for tests and for callers who accept that a crash forgets what was
 * signed. `now` gives Unix milliseconds, by default the clock's.
 */
export function createMemoryJournal({ now = Date.now }: { readonly now?: () => number } = {}): Journal {
  const entries = new Map<Hash, JournalEntry>()
  const where = (matches: (entry: JournalEntry) => boolean): JournalEntry[] => [...entries.values()].filter(matches)

  return {
    async recordSigned(entry) {
      const taken = where(
        (other) =>
          (sameSlot(other, entry.chainId, entry.from, entry.nonce) && other.attempt === entry.attempt) ||
          (isSameStep(other, entry) && other.nonce !== entry.nonce),
      )
      if (taken.length > 0 || entries.has(entry.hash)) {
        const { chainId, from, nonce, attempt, hash } = entry
        const details = { chainId, from, nonce, attempt, hash }
        throw new WalletError('JOURNAL_CONFLICT', `Attempt ${attempt} at nonce ${nonce} is taken.`, { details })
      }
      const recorded: JournalEntry = { ...entry, state: 'signed', signedAt: now() }
      entries.set(entry.hash, recorded)
      return recorded
    },
    async mark(hash, state, facts = {}) {
      const entry = entries.get(hash)
      if (entry === undefined) {
        throw new WalletError('JOURNAL_ENTRY_UNKNOWN', `The journal holds no transaction ${hash}.`, {
          details: { hash },
        })
      }
      if (!isOpen(entry.state)) {
        if (entry.state === state) return
        const isUndone = undone.has(entry.state) && state === 'refused'
        if (!isUndone && !(mayEndOtherwise.has(entry.state) && otherEnds.has(state))) throw closed(entry, state)
      } else if (state === 'refused' && entry.state !== 'signed') throw closed(entry, state)
      const { blockNumber: _number, blockHash: _hash, gasUsed: _gas, ...rest } = entry
      entries.set(hash, { ...rest, ...facts, state })
    },
    async publish(hash) {
      const entry = entries.get(hash)
      if (entry?.submission === 'private') entries.set(hash, { ...entry, submission: 'public' })
    },
    async nextNonce(chainId, from) {
      const nonces = where((entry) => sameAccount(entry, chainId, from) && entry.state !== 'refused')
      return nonces.length === 0 ? null : Math.max(...nonces.map((entry) => entry.nonce)) + 1
    },
    async open(chainId, from) {
      return where((entry) => sameAccount(entry, chainId, from) && isOpen(entry.state)).sort(
        (a, b) => a.nonce - b.nonce || a.attempt - b.attempt,
      )
    },
    async refused(chainId, from) {
      return where((entry) => sameAccount(entry, chainId, from) && entry.state === 'refused').sort(
        (a, b) => a.nonce - b.nonce || a.attempt - b.attempt,
      )
    },
    async byHash(hash) {
      return entries.get(hash) ?? null
    },
    async byRequest(requestId) {
      return where((entry) => entry.requestId === requestId)
    },
    async byNonce(chainId, from, nonce) {
      return where((entry) => sameSlot(entry, chainId, from, nonce)).sort((a, b) => a.attempt - b.attempt)
    },
  }
}

/** Closed states that say what an endpoint did or a block held, and what such a transaction may turn out to be. */
const mayEndOtherwise: ReadonlySet<JournalState> = new Set(['refused', 'superseded'])
const otherEnds: ReadonlySet<JournalState> = new Set(['mined', 'final', 'reverted', 'replaced', 'superseded'])
/** Closed states whose block may be undone, and which nobody then wants to be mined. */
const undone: ReadonlySet<JournalState> = new Set(['reverted', 'replaced'])

function isOpen(state: JournalState): boolean {
  return state === 'signed' || state === 'broadcast' || state === 'mined'
}

function sameAccount(entry: JournalEntry, chainId: number, from: string): boolean {
  return entry.chainId === chainId && entry.from.toLowerCase() === from.toLowerCase()
}

function isSameStep(other: JournalEntry, entry: NewJournalEntry): boolean {
  return (
    other.requestId === entry.requestId && other.step === entry.step && sameAccount(other, entry.chainId, entry.from)
  )
}

function sameSlot(entry: JournalEntry, chainId: number, from: string, nonce: number): boolean {
  return sameAccount(entry, chainId, from) && entry.nonce === nonce
}

function closed(entry: JournalEntry, state: JournalState): WalletError {
  return new WalletError(
    'JOURNAL_ENTRY_CLOSED',
    `Transaction ${entry.hash} is ${entry.state} and cannot be ${state}.`,
    {
      details: { hash: entry.hash, state: entry.state, asked: state },
    },
  )
}
