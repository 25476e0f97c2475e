import type { Hash } from 'viem'
import type { JournalEntry, NewJournalEntry } from '../journal.ts'

/** What the caller lets the sender sign on its own account to bring what is out to its end. */
export type ReplacementRules = {
  /**
   * Most that the gas of one transaction may cost at its worst, in wei: its limit times `maxFeePerGas`. More than `payableWei`, which the
   * wallet holds beside what is sent along, is not offered.
   */
  readonly feeCapWei: (
    wanted: Pick<Proposal, 'kind' | 'replaces' | 'gasLimit'> & { readonly payableWei: bigint },
  ) => Promise<bigint>
  /** Asked last, before each signature: the place to write it down. `false` leaves things as they are. */
  readonly allow: (proposal: Proposal) => Promise<boolean>
  /** Asked when the signature is there, before it is recorded: `false` drops it, and no one ever sends it. */
  readonly isStillAllowed?: (proposal: Proposal) => Promise<boolean>
  /** Commits what was signed in place of the journal's own `recordSigned`; `not-allowed` where that is so by now, and nothing was committed. */
  readonly record?: (entry: NewJournalEntry, proposal: Proposal) => Promise<JournalEntry | 'not-allowed'>
  /** Called when a transaction that needs higher fees keeps those it has, and why. Its bytes are sent on. */
  readonly onHeld?: (entry: JournalEntry, why: 'capped' | 'not-allowed') => void
  /**
   * Asked where the receipt of an entry cannot be had, though its nonce is used up in a settled block. With `true` the entry is left as it
   * stands, open to be read another time, and keeps no other waiting: nothing can happen at its nonce any more.
   */
  readonly onUnread?: (entry: JournalEntry, error: unknown) => boolean
  /** A transaction without a receipt for this long is held against the chain's fees; 30 s or five blocks by default. */
  readonly stuckAfterMs?: number
}

/** A signature the sender wants to make. */
export type Proposal = {
  /**
   * - raise: the same call at the same nonce with higher fees
   * - no-op: a transfer of nothing to the wallet itself, which uses a nonce up
   */
  readonly kind: 'raise' | 'no-op'
  readonly nonce: number
  readonly attempt: number
  /** The request and transaction whose place it takes; `null` for a nonce at which nothing was signed. */
  readonly replaces: { readonly requestId: string; readonly step: number; readonly hash: Hash } | null
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * What became of an attempt to replace a transaction.
 *
 * - replaced: `entry` is the new attempt, which is out
 * - capped: an eighth more would cost above the cap, or more than the wallet holds; `entry` was sent again as it stands
 * - not-allowed: the rules said no; `entry` was sent again as it stands
 * - settled: nothing at the nonce waits for a block any more
 */
export type Replacement = {
  readonly status: 'replaced' | 'capped' | 'not-allowed' | 'settled'
  readonly entry: JournalEntry
}
