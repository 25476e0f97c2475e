import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionNotFoundError, type PublicClient, type Hex } from 'viem'
import type { Chain } from '../chain.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import { isRefused, isWaiting, isNoOp } from './entry-state.ts'
import { toCause } from '../wallet-error.ts'
import { markStanding, settle, settledCount } from './settle.ts'
import type { Delegation } from './sign-request.ts'

/**
 * Sends the stored bytes of an entry, again for as long as the outcome is unknown and the patience lasts. The entry
 * comes back as `broadcast`, also when the outcome is still unknown; as `refused` when the node declined bytes that no
 * one has seen before, and the chain, asked once more, knows neither them nor their nonce; settled when its nonce turns
 * out to be used; as it was while an account with delegated code has to wait for what is out already. Mined and closed
 * entries are left alone.
 */
export async function broadcastEntry(context: BroadcastContext, given: JournalEntry): Promise<SentEntry> {
  const { client, journal, random, chain } = context
  const entry = (await journal.byHash(given.hash)) ?? given
  if (!isWaiting(entry)) return entry
  const startedAt = performance.now()
  let mayBeOut = entry.state === 'broadcast'
  let refusal: unknown
  const onRefusal = (error: unknown): void => void (refusal = error)
  for (let tries = 0; tries < mostOffers; tries += 1) {
    let answer = await offerEntry(context, entry, onRefusal)
    while (answer === 'wait') {
      if (performance.now() - startedAt > longestOfferMs) return entry
      await sleep(Math.min(Math.max(chain.blockTimeSeconds * 250, 50), 1_000))
      answer = await offerEntry(context, entry, onRefusal)
    }
    if ((answer === 'declined' || answer === 'underpriced') && !mayBeOut) {
      if (!(await isUnseen(client, entry))) return markSent(journal, entry, 'broadcast')
      const declined = await markSent(journal, entry, 'refused')
      return isRefused(declined) ? { ...declined, refusal: toCause(refusal) } : declined
    }
    if (answer !== 'unknown') {
      const sent = await markSent(journal, entry, 'broadcast')
      // Bytes that may have gone out before may be what used the nonce: then `confirm` has the time to find out.
      return answer === 'nonce-used' && !mayBeOut ? lookOnce(context, sent) : sent
    }
    mayBeOut = true
    if (performance.now() - startedAt > longestOfferMs) break
    await sleep(150 * 2 ** tries * (0.5 + random()))
  }
  return markSent(journal, entry, 'broadcast')
}

/** An entry whose bytes were offered. */
export type SentEntry = JournalEntry & {
  /** Of `refused`: what the node answered, for a `cause`; its words are the node's, capped, without URLs and what cannot be printed. */
  readonly refusal?: unknown
}

/** Notes what became of an offer of the bytes. Gives the entry as it stands: another watcher may have seen it settled meanwhile. */
export async function markSent(
  journal: Journal,
  entry: JournalEntry,
  state: 'broadcast' | 'refused',
): Promise<JournalEntry> {
  return entry.state === state ? entry : markStanding({ journal, entry }, state)
}

export type BroadcastContext = OfferContext & {
  readonly chain: Pick<Chain, 'confirmations' | 'blockTimeSeconds'>
  /** In [0, 1): spreads the offers. */
  readonly random: () => number
}

const mostOffers = 5
/** After this long no further offer of the same bytes is begun. */
const longestOfferMs = 15_000

/**
 * Whether the endpoint knows the transaction neither in a block nor in its pool, and does not count its nonce: one that
 * declines may have forwarded the bytes all the same. An endpoint that does not answer proves nothing.
 */
async function isUnseen(client: PublicClient, { hash, from, nonce }: JournalEntry): Promise<boolean> {
  const known = client.getTransaction({ hash }).then(
    () => true,
    (error: unknown) => !(error instanceof TransactionNotFoundError),
  )
  const counted = client.getTransactionCount({ address: from, blockTag: 'latest' }).then(
    (count) => count > nonce,
    () => true,
  )
  return (await Promise.all([known, counted])).every((isSeen) => !isSeen)
}

/** A first look for an entry whose nonce is used. When the endpoint is silent, the next look decides. */
async function lookOnce({ client, chain, journal }: BroadcastContext, entry: JournalEntry): Promise<JournalEntry> {
  const { confirmations } = chain
  const count = (): Promise<number> => settledCount(client, entry.from, confirmations)
  try {
    return (await settle({ client, journal, entry, confirmations, settledCount: count })).entry
  } catch {
    return entry
  }
}

/**
 * Offers the stored bytes once. Nodes take one transaction at a time from an account with delegated code, so there the
 * bytes are held back (`wait`) until everything below their nonce is mined. What was signed for a private endpoint goes there alone, until
 * its time is over where there is one. Never rejects for an endpoint that fails, but with what `requireOffer` throws.
 */
export async function offerEntry(
  context: OfferContext,
  entry: JournalEntry,
  onRefusal?: (error: unknown) => void,
): Promise<Answer> {
  const { delegation } = context
  if (await mustWait(context, entry)) return 'wait'
  const answer = await submitWhere(context, entry, onRefusal)
  if (answer === 'wait') delegation.note()
  return answer
}

export type OfferContext = {
  readonly client: PublicClient
  readonly journal: Journal
  readonly delegation: Delegation
  readonly privately?: PrivateRoute | undefined
  readonly requireOffer?: (() => void) | undefined
  /** Unix milliseconds. */
  readonly now: () => number
}

/** How the transactions of a chain go out that are kept from the public pool. */
export type PrivateRoute = {
  /** Of the private endpoint; `null` where none is configured any more: what was signed for one then waits. */
  readonly client: PublicClient | null
  /** How long such a transaction may stay unmined until the public endpoints are asked; `null`: for good. */
  readonly publicAfterMs: () => number | null
}

/** Every offer of bytes goes through here. */
async function submitWhere(
  context: OfferContext,
  entry: JournalEntry,
  onRefusal: ((error: unknown) => void) | undefined,
): Promise<Answer> {
  const { client, privately, journal } = context
  context.requireOffer?.()
  if (entry.submission !== 'private') return submit(client, entry.rawTransaction, onRefusal)
  // A no-op says nothing of what it replaces, and has to win wherever that waits.
  if (isNoOp(entry)) {
    if (privately?.client != null) await submit(privately.client, entry.rawTransaction)
    return submit(client, entry.rawTransaction, onRefusal)
  }
  if (journal.publish !== undefined && (await isPrivateOver(context, entry))) {
    await journal.publish(entry.hash)
    return submit(client, entry.rawTransaction, onRefusal)
  }
  if (privately?.client == null) {
    onRefusal?.(new Error('No private endpoint is configured for this chain.'))
    return 'unknown'
  }
  return submit(privately.client, entry.rawTransaction, onRefusal)
}

/** Whether the time that a transaction has to be mined from the private endpoint is over, counted from the first attempt at its nonce. */
export async function isPrivateOver(
  { privately, journal, now }: Pick<OfferContext, 'privately' | 'journal' | 'now'>,
  { submission, chainId, from, nonce, signedAt }: JournalEntry,
): Promise<boolean> {
  const afterMs = submission === 'private' ? (privately?.publicAfterMs() ?? null) : null
  if (afterMs === null) return false
  const attempts = await journal.byNonce(chainId, from, nonce)
  const since = attempts.filter((attempt) => attempt.submission !== undefined && !isNoOp(attempt))
  return now() - Math.min(signedAt, ...since.map((attempt) => attempt.signedAt)) >= afterMs
}

async function mustWait({ client, journal, delegation }: OfferContext, entry: JournalEntry): Promise<boolean> {
  if (!(await delegation.stands())) return false
  const { chainId, from, nonce } = entry
  const isNext = (await journal.open(chainId, from)).every((other) => other.nonce >= nonce || other.state === 'mined')
  if (isNext) return false
  const count = await client.getTransactionCount({ address: from, blockTag: 'latest' }).catch(() => 0)
  return count < nonce
}

/** Offers serialised bytes to the node once and says what the answer means; `onRefusal` hears an error in its place. Never rejects. */
export async function submit(
  client: PublicClient,
  rawTransaction: Hex,
  onRefusal?: (error: unknown) => void,
): Promise<Answer> {
  try {
    await client.request({ method: 'eth_sendRawTransaction', params: [rawTransaction] }, { retryCount: 0 })
    return 'sent'
  } catch (error) {
    onRefusal?.(error)
    const text = sentences(error).join('\n')
    return meanings.find(([, pattern]) => pattern.test(text))?.[0] ?? 'unknown'
  }
}

/**
 * - sent: the node has the bytes, now or already before
 * - nonce-used: a transaction with this nonce is mined, perhaps this one
 * - underpriced: the node looked at the bytes and will not take them for their fees
 * - declined: the node looked at the bytes and will not take them as things are
 * - wait: an account with delegated code has something out already, and the node takes one at a time
 * - unknown: no answer, or one that says nothing about these bytes
 */
export type Answer = 'sent' | 'nonce-used' | 'underpriced' | 'declined' | 'wait' | 'unknown'

// Wordings of geth, reth, erigon, nethermind, besu, anvil, zkSync and Arbitrum nodes. "replacement transaction
// underpriced" is left out on purpose: another transaction contests the nonce and the outcome is open.
const meanings: readonly (readonly [Answer, RegExp])[] = [
  ['sent', /already ?known|already imported|already exists|already in (the )?(mem|tx)?pool|known transaction/i],
  ['nonce-used', /nonce (is )?too (low|small)|old ?nonce|nonce has already been used/i],
  ['wait', /in-flight transaction limit reached for delegated|gapped-nonce tx from delegated/i],
  [
    'underpriced',
    /less than (the )?block base fee|max fee per gas .*(too low|less than)|(?<!replacement )transaction underpriced/i,
  ],
  [
    'declined',
    /insufficient (funds|balance)|intrinsic gas too low|exceeds (the )?block gas limit|gas limit (is )?too high|(priority fee|tip).*(higher|above)|invalid chain ?id|invalid sender|invalid signature|oversized data|initcode|type not supported|exceeds the configured cap/i,
  ],
]

/** The sentences of an error and its causes. Bodies and URLs, which long messages quote, are left out. */
function sentences(error: unknown): string[] {
  const found: string[] = []
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth += 1) {
    const details: unknown = 'details' in cause ? cause.details : undefined
    const short: unknown = 'shortMessage' in cause ? cause.shortMessage : undefined
    if (typeof details === 'string') found.push(details)
    found.push(typeof short === 'string' ? short : cause.message)
  }
  return found
}
