import type { Hex, PublicClient } from 'viem'
import type { Journal, JournalEntry } from '../journal.ts'
import type { Delegation } from './delegation.ts'
import { isNoOp } from './entry-state.ts'

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
