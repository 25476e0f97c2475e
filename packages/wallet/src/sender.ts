import type { Address, PublicClient } from 'viem'
import type { Chain } from './chain.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { broadcastEntry, type SentEntry, type PrivateRoute } from './sender/broadcast-entry.ts'
import { cancelEntry, replaceEntry, type Replacement, type ReplacementRules } from './sender/replace-entry.ts'
import { confirmEntry, type Confirmation, type ConfirmOptions } from './sender/confirm-entry.ts'
import { createDelegation, signRequest, type SignRequest, type TransactionSigner } from './sender/sign-request.ts'
import { createMutex } from './sender/mutex.ts'
import { reconcileJournal } from './sender/reconcile-journal.ts'

/**
 * Makes the sender of one wallet on one chain. What it signs is in the journal before the first byte leaves. It retries
 * by sending the stored bytes again or, where the caller lets it, by signing the same call at the same nonce with higher
 * fees; so a request has at most one effect however often it is retried, interrupted or restarted. It throws nothing;
 * what its members throw is said there.
 */
export function createSender(options: SenderOptions): Sender {
  const { wallet, client, chain, journal, random = Math.random, now = Date.now } = options
  const { privately, requireOffer } = options
  const { address } = wallet
  const inTurn = createMutex()
  const delegation = createDelegation(client, address)
  const countHere = async () => [await client.getTransactionCount({ address, blockTag: 'latest' })]
  const { counts = countHere } = options
  const offering = { privately, requireOffer }
  const context = { address, wallet, client, chain, journal, random, now, counts, inTurn, delegation, ...offering }
  return {
    address,
    sign: (request) => signRequest(context, request),
    broadcast: (entry) => broadcastEntry(context, entry),
    confirm: (entry, confirmOptions) => confirmEntry(context, entry, confirmOptions),
    replace: (entry, rules) => replaceEntry(context, entry, rules),
    cancel: (entry, rules) => cancelEntry(context, entry, rules),
    reconcile: (rules) => reconcileJournal(context, rules),
  }
}

/** Signs, sends and follows the transactions of one wallet on one chain. */
export type Sender = {
  readonly address: Address
  /**
   * Allocates a nonce, signs and commits to the journal. Nothing is sent. A request and step that were signed before
   * give the newest entry of that time back. Throws `WalletError`: `REQUEST_CONFLICT`, `NONCE_CONTENDED`,
   * `NONCE_AHEAD_OF_CHAIN`; the client's error when the chain's count cannot be read; or what the request's `allow` throws.
   */
  sign(request: SignRequest): Promise<JournalEntry>
  /**
   * Sends the stored bytes. The entry comes back as `broadcast`, also when the outcome is unknown; as `refused` when
   * the node declined bytes that no one has seen before (the nonce is free; who takes it settles that they are never
   * mined); settled when the nonce turns out to be used; as it was when an account with delegated code has to wait,
   * which `confirm` does. An entry that is mined or closed comes back as it stands in the journal.
   */
  broadcast(entry: JournalEntry): Promise<SentEntry>
  /**
   * Watches the transaction, and whatever is signed in its place, until one is settled, `timeoutMs` has passed or
   * `signal` aborts. `entry` of the answer is the one that was mined. See {@link Confirmation}.
   */
  confirm(entry: JournalEntry, options?: ConfirmOptions): Promise<Confirmation>
  /**
   * Signs what waits at the entry's nonce again with fees at least an eighth higher and at least what the chain asks,
   * never above the cap, and sends it. Call, value and reservation stay the same, and the chain mines one of them.
   */
  replace(entry: JournalEntry, rules: SingleReplacement): Promise<Replacement>
  /** Offers a transfer of nothing to the wallet itself at the entry's nonce, by the same rules of fees. */
  cancel(entry: JournalEntry, rules: SingleReplacement): Promise<Replacement>
  /**
   * Settles or re-sends everything the journal holds open, lowest nonce first, and says how each entry stands now. With
   * `rules` it raises the fees of what is stuck and fills gaps of nonces with no-ops, at most three at once. Run it
   * before a restarted process serves writes, and again and again. Rejects when the endpoint does not answer.
   */
  reconcile(rules?: ReplacementRules): Promise<readonly JournalEntry[]>
}

/** `fees` are what the chain asks, where the caller knows; else they are read. */
export type SingleReplacement = Pick<
  ReplacementRules,
  'feeCapWei' | 'allow' | 'isStillAllowed' | 'record' | 'onHeld'
> & {
  readonly fees?: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
}

/** What a sender works with. */
export type SenderOptions = {
  readonly wallet: TransactionSigner
  readonly client: PublicClient
  readonly chain: Pick<Chain, 'id' | 'confirmations' | 'blockTimeSeconds' | 'ordinaryTipGwei'>
  readonly journal: Journal
  /** In [0, 1): spreads retries. */
  readonly random?: () => number
  /** Unix milliseconds, by the clock of the journal. */
  readonly now?: () => number
  /**
   * How many transactions of the wallet each endpoint that answers counts at its newest block; `client`'s own count by
   * default. Gaps are filled only when all agree.
   */
  readonly counts?: () => Promise<readonly number[]>
  /** Where requests go that say `isPrivate`, and what the journal holds of earlier ones. Without it those wait. */
  readonly privately?: PrivateRoute | undefined
  /** Asked before each offer of bytes. What it throws the caller hears, and nothing leaves: for a wallet that another process may have taken over. */
  readonly requireOffer?: (() => void) | undefined
}
