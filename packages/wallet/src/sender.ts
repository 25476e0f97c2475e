import type { Address, Hex, PublicClient, TransactionSerializable } from 'viem'
import { keccak256, parseTransaction } from 'viem'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from './chain.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { allocateNonce } from './sender/allocate-nonce.ts'
import { confirmEntry, type Confirmation, type ConfirmOptions } from './sender/confirm-entry.ts'
import { createMutex } from './sender/mutex.ts'
import { settle, settledCount } from './sender/settle.ts'
import { submit } from './sender/submit.ts'
import { WalletError } from './wallet-error.ts'

/**
 * Makes the sender of one wallet on one chain. What it signs is in the journal before the first byte leaves, and
 * sending the stored bytes again is its only retry, so a request has at most one effect however often it is retried,
 * interrupted or restarted. `random` in [0, 1) spreads retries.
 */
export function createSender({ wallet, client, chain, journal, random = Math.random }: SenderOptions): Sender {
  const inTurn = createMutex()
  const context = { client, chain, journal }

  async function sign(request: SignRequest): Promise<JournalEntry> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      // Outside the lock, so that parallel requests share a batch: the journal, not this count, keeps ours apart.
      const latestCount = await client.getTransactionCount({ address: wallet.address, blockTag: 'latest' })
      const outcome = await inTurn(() => signAt(request, latestCount))
      if (typeof outcome === 'object') return outcome
      if (outcome === 'behind') {
        if (tries === mostTries - 1) throw aheadOfChain(chain)
        await sleep(Math.min(Math.max(chain.blockTimeSeconds * 250, 100), 1000))
      }
    }
    throw new WalletError('NONCE_CONTENDED', `Other senders of ${wallet.address} took ${mostTries} nonces in a row.`)
  }

  async function signAt(request: SignRequest, latestCount: number): Promise<JournalEntry | 'behind' | 'taken'> {
    const before = (await journal.byRequest(request.requestId)).findLast((entry) => entry.step === request.step)
    if (before !== undefined) return signedBefore(before, request)
    const place = await allocateNonce(journal, chain.id, wallet.address, latestCount)
    if (place === 'behind') return place
    const rawTransaction = await wallet.signTransaction({
      type: 'eip1559',
      chainId: chain.id,
      nonce: place.nonce,
      to: request.to,
      data: request.data,
      value: request.valueWei,
      gas: request.gasLimit,
      maxFeePerGas: request.maxFeePerGas,
      maxPriorityFeePerGas: request.maxPriorityFeePerGas,
    })
    const { requestId, step, reservationId } = request
    const slot = { requestId, step, reservationId, chainId: chain.id, from: wallet.address, ...place }
    try {
      return await journal.recordSigned({ ...slot, rawTransaction, hash: keccak256(rawTransaction) })
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'JOURNAL_CONFLICT') return 'taken'
      throw error
    }
  }

  async function broadcast(given: JournalEntry): Promise<JournalEntry> {
    const entry = (await journal.byHash(given.hash)) ?? given
    if (entry.state !== 'signed' && entry.state !== 'broadcast') return entry
    const startedAt = performance.now()
    let mayBeOut = entry.state !== 'signed'
    for (let tries = 0; tries < mostTries; tries += 1) {
      const answer = await submit(client, entry.rawTransaction)
      if (answer === 'declined' && !mayBeOut) return moved(entry, 'refused')
      if (answer !== 'unknown') {
        const sent = await moved(entry, 'broadcast')
        return answer === 'nonce-used' ? lookOnce(sent) : sent
      }
      mayBeOut = true
      if (performance.now() - startedAt > longestOfferMs) break
      await sleep(150 * 2 ** tries * (0.5 + random()))
    }
    return moved(entry, 'broadcast')
  }

  /** A first look for an entry whose nonce is used. When the endpoint is silent the next look decides. */
  async function lookOnce(entry: JournalEntry): Promise<JournalEntry> {
    try {
      const count = (): Promise<number> => settledCount(client, wallet.address, chain.confirmations)
      const sighting = await settle({ ...context, entry, confirmations: chain.confirmations, settledCount: count })
      return sighting.entry
    } catch {
      return entry
    }
  }

  async function moved(entry: JournalEntry, state: 'broadcast' | 'refused'): Promise<JournalEntry> {
    if (entry.state === state) return entry
    await journal.mark(entry.hash, state)
    return { ...entry, state }
  }

  async function reconcile(): Promise<readonly JournalEntry[]> {
    const open = await journal.open(chain.id, wallet.address)
    if (open.length === 0) return []
    const taken = await settledCount(client, wallet.address, chain.confirmations)
    const look = { ...context, confirmations: chain.confirmations, settledCount: async () => taken }
    const sightings = await Promise.all(open.map((entry) => settle({ ...look, entry })))
    const reconciled: JournalEntry[] = []
    for (const { entry, receipt } of sightings) {
      const isOut = receipt === null && (entry.state === 'signed' || entry.state === 'broadcast')
      if (isOut) await submit(client, entry.rawTransaction)
      reconciled.push(isOut ? await moved(entry, 'broadcast') : entry)
    }
    return reconciled
  }

  return {
    address: wallet.address,
    sign,
    broadcast,
    confirm: (entry, options) => confirmEntry(context, entry, options),
    reconcile,
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

/** What the sender needs of a wallet. */
export type TransactionSigner = {
  readonly address: Address
  signTransaction(transaction: TransactionSerializable): Promise<Hex>
}

export type SignRequest = {
  readonly requestId: string
  /** Position of the call in its request, from 0. */
  readonly step: number
  readonly to: Address
  readonly data: Hex
  readonly valueWei: bigint
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly reservationId: string | null
}

/** How often a nonce is sought, and how often bytes are offered. */
const mostTries = 5
/** After this long no further offer of the same bytes is begun. */
const longestOfferMs = 15_000

function signedBefore(entry: JournalEntry, request: SignRequest): JournalEntry {
  const { to, data = '0x', value = 0n } = parseTransaction(entry.rawTransaction)
  const isSame = to?.toLowerCase() === request.to.toLowerCase() && data === request.data && value === request.valueWei
  if (isSame) return entry
  throw new WalletError(
    'REQUEST_CONFLICT',
    `Step ${request.step} of request ${request.requestId} was signed before for another call.`,
  )
}

function aheadOfChain(chain: SenderOptions['chain']): WalletError {
  return new WalletError(
    'NONCE_AHEAD_OF_CHAIN',
    `The journal holds settled transactions that chain ${chain.id} does not count: its endpoint lags, or the chain was reset.`,
  )
}
