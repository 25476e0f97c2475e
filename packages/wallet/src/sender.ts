import type { Address, PublicClient } from 'viem'
import type { Chain } from './chain.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { broadcastEntry } from './sender/broadcast-entry.ts'
import { confirmEntry, type Confirmation, type ConfirmOptions } from './sender/confirm-entry.ts'
import { createMutex } from './sender/mutex.ts'
import { reconcileJournal } from './sender/reconcile-journal.ts'
import { signRequest, type SignRequest, type TransactionSigner } from './sender/sign-request.ts'

/**
 * Makes the sender of one wallet on one chain. What it signs is in the journal before the first byte leaves, and
 * sending the stored bytes again is its only retry, so a request has at most one effect however often it is retried,
 * interrupted or restarted. `random` in [0, 1) spreads retries.
 */
export function createSender({ wallet, client, chain, journal, random = Math.random }: SenderOptions): Sender {
  const { address } = wallet
  const context = { address, wallet, client, chain, journal, random, inTurn: createMutex() }
  return {
    address,
    sign: (request) => signRequest(context, request),
    broadcast: (entry) => broadcastEntry(context, entry),
    confirm: (entry, options) => confirmEntry(context, entry, options),
    reconcile: () => reconcileJournal(context),
  }
}

export type Sender = {
  readonly address: Address
  /**
   * Allocates a nonce, signs and commits to the journal. Nothing is sent. A request and step that were signed before
   * give the entry of that time back. Throws `WalletError`: `REQUEST_CONFLICT`, `NONCE_CONTENDED`,
   * `NONCE_AHEAD_OF_CHAIN`; or the client's error when the chain's count cannot be read.
   */
  sign(request: SignRequest): Promise<JournalEntry>
  /**
   * Sends the stored bytes. The entry comes back as `broadcast`, also when the outcome is unknown; as `refused` when
   * the node declined bytes that no one has seen before (the request failed for certain, its nonce is free); settled
   * when the nonce turns out to be used. An entry that is mined or closed comes back as it stands in the journal.
   */
  broadcast(entry: JournalEntry): Promise<JournalEntry>
  /** Watches until the transaction is settled, `timeoutMs` has passed or `signal` aborts. See {@link Confirmation}. */
  confirm(entry: JournalEntry, options?: ConfirmOptions): Promise<Confirmation>
  /**
   * Settles or re-sends everything the journal holds open, lowest nonce first, and says how each entry stands now. Run
   * it before a restarted process serves writes. Rejects when the endpoint does not answer.
   */
  reconcile(): Promise<readonly JournalEntry[]>
}

export type SenderOptions = {
  readonly wallet: TransactionSigner
  readonly client: PublicClient
  readonly chain: Pick<Chain, 'id' | 'confirmations' | 'blockTimeSeconds'>
  readonly journal: Journal
  readonly random?: () => number
}
