import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionNotFoundError, type PublicClient } from 'viem'
import type { Chain } from '../chain.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import { isRefused, isWaiting } from './entry-state.ts'
import { toCause } from '../to-cause.ts'
import { offerEntry, type OfferContext } from './offer-entry.ts'
import { markStanding, settle, settledCount } from './settle.ts'

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
