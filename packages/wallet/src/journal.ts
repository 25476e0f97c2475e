import type { Address, Hash, Hex } from 'viem'
import type { SignedUserOperation } from './user-operation/signed-user-operation.ts'

/**
 * Where the sender keeps what it signed. One entry is one signed transaction; replacements share the nonce and count
 * `attempt` up. An entry is durable before its first byte leaves the process.
 */
export type Journal = {
  /**
   * Commits a signed transaction in state `signed`, atomically with whatever the caller couples to it
   * (`reservationId`). Rejects with code `JOURNAL_CONFLICT` when (chainId, from, nonce, attempt) or the hash exists, or
   * when the request's step was signed at another nonce of the account: of two processes that take up one request, one
   * signs it.
   */
  recordSigned(entry: NewJournalEntry): Promise<JournalEntry>
  /**
   * Moves an entry along and replaces its facts. Marking the state it is in changes facts only while it is open.
   * Rejects with `JOURNAL_ENTRY_CLOSED` for a move out of a closed state or to `refused` after a broadcast, with
   * `JOURNAL_ENTRY_UNKNOWN` for a hash it does not hold. `refused` and `superseded` are closed states that may end
   * otherwise: an endpoint may forward what it refuses, and a block that proved another transaction may be undone, so
   * such an entry may still turn out to be mined or replaced, and a refused one superseded. `reverted` and `replaced`
   * become `refused` where the chain has undone their block and nobody wants them mined. `broadcast`, `mined` and
   * `final` may reach the disk with a later commit only: the chain tells them again.
   */
  mark(hash: Hash, state: JournalState, facts?: JournalFacts): Promise<void>
  /**
   * Notes that a transaction signed for a private endpoint may go to public ones from now on, durably before it resolves. Any other is
   * left as it is. A journal without it keeps such a transaction private for good.
   */
  publish?(hash: Hash): Promise<void>
  /** The next nonce by the journal's own account: highest nonce not `refused` plus one, or `null` when it has none. */
  nextNonce(chainId: number, from: Address): Promise<number | null>
  /** Entries in an open state (`signed`, `broadcast`, `mined`), lowest nonce first. */
  open(chainId: number, from: Address): Promise<readonly JournalEntry[]>
  /** Entries in state `refused`, lowest nonce first: what became of their nonces is not known yet. */
  refused(chainId: number, from: Address): Promise<readonly JournalEntry[]>
  byHash(hash: Hash): Promise<JournalEntry | null>
  /** In the order they were signed. */
  byRequest(requestId: string): Promise<readonly JournalEntry[]>
  /** Every attempt at a nonce, first attempt first. */
  byNonce(chainId: number, from: Address, nonce: number): Promise<readonly JournalEntry[]>
}

/**
 * How a signed transaction stands.
 *
 * signed -> broadcast -> mined -> final | reverted; side exits replaced (another attempt of the nonce was mined),
 * superseded (a transaction that is not ours, at the nonce or with an authorization of the account at it, was read in a
 * settled block) and refused (the node declined the bytes the one time they were offered: the nonce is free, and whoever
 * takes it settles that the bytes are never mined).
 * Only replaced and superseded mean "never mined". `mined` goes back to `broadcast` on a reorg; `refused` becomes what
 * the chain shows once it counts the nonce. An undone block makes `reverted` and `replaced` ones `refused` where they are not
 * to be sent again.
 */
export type JournalState =
  | 'signed'
  | 'broadcast'
  | 'mined'
  | 'final'
  | 'reverted'
  | 'replaced'
  | 'superseded'
  | 'refused'

/** One signed transaction, before anything is known of its fate. */
export type NewJournalEntry = {
  readonly requestId: string
  /** Position of the call in its intent, from 0. */
  readonly step: number
  readonly chainId: number
  readonly from: Address
  readonly nonce: number
  readonly attempt: number
  readonly rawTransaction: Hex
  readonly hash: Hash
  /** The spend reservation this transaction draws on, if it draws on one. */
  readonly reservationId: string | null
  /** By which endpoints it goes out; without it by the public ones. It is part of the entry, so that a restart changes nothing. */
  readonly submission?: Submission
  /**
   * Where what was signed is a user operation. The entry then uses no nonce of the account, and no sender takes it up: `nonce` is that
   * at the entry point, `rawTransaction` an unsigned transaction of the account to itself with the calls, and `hash` the operation's,
   * until it is mined, and that of its transaction from then on.
   */
  readonly userOperation?: JournaledOperation
}

/**
 * `private`: to the private endpoint alone, however often it is offered. `public`: it was private, and has gone to the public endpoints
 * since, because the time it had for that was over.
 */
export type Submission = 'private' | 'public'

/** A signed user operation, and the Unix seconds after which its own calls make it revert. */
export type JournaledOperation = SignedUserOperation & { readonly expiresAt: number }

/** One signed transaction and how it stands. */
export type JournalEntry = NewJournalEntry &
  JournalFacts & {
    readonly state: JournalState
    /** Unix milliseconds. */
    readonly signedAt: number
  }

/** An entry as JSON holds it: `JSON.stringify` throws at the bigints of a {@link JournalEntry}. Decimal text in their place. */
export function journalEntryJson({ blockNumber, gasUsed, ...entry }: JournalEntry): JournalEntryJson {
  return {
    ...entry,
    ...(blockNumber !== undefined && { blockNumber: `${blockNumber}` }),
    ...(gasUsed !== undefined && { gasUsed: `${gasUsed}` }),
  }
}

/** One signed transaction and how it stands, as JSON holds it. */
export type JournalEntryJson = Omit<JournalEntry, 'blockNumber' | 'gasUsed'> & {
  readonly blockNumber?: string
  readonly gasUsed?: string
}

/** Where a transaction was mined and what gas it used, by its receipt. */
export type JournalFacts = {
  readonly blockNumber?: bigint
  readonly blockHash?: Hash
  readonly gasUsed?: bigint
}
