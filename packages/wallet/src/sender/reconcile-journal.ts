import type { Chain } from '../chain.ts'
import type { JournalEntry } from '../journal.ts'
import { markSent } from './broadcast-entry.ts'
import { isWaiting, noncesOf } from './entry-state.ts'
import { fillGaps, type FillContext } from './fill-gaps.ts'
import { offerEntry } from './offer-entry.ts'
import { raiseIfStuck, stuckAfter } from './raise-if-stuck.ts'
import type { ReplacementRules } from './replacement-rules.ts'
import { settle, settledCount } from './settle.ts'

/**
 * Settles or re-sends everything the journal holds open for an account, lowest nonce first, finds out what became of
 * refused bytes, and says how each entry stands now. With `rules` it also raises fees that are too low and uses up nonces
 * that nothing waits at. Nothing open becomes `refused` here, for a process that died may have sent it. Rejects when the
 * endpoint does not answer.
 */
export async function reconcileJournal(
  context: ReconcileContext,
  rules?: ReplacementRules,
): Promise<readonly JournalEntry[]> {
  const { address, client, chain, journal } = context
  const [open, refused] = await Promise.all([journal.open(chain.id, address), journal.refused(chain.id, address)])
  if (open.length === 0 && refused.length === 0) return []
  const [taken, count] = await Promise.all([
    settledCount(client, address, chain.confirmations),
    client.getTransactionCount({ address, blockTag: 'latest' }),
  ])
  const look = { client, journal, confirmations: chain.confirmations, settledCount: async () => taken }
  const counted = [...open, ...refused.filter(({ nonce }) => nonce < count)]
  const sightings = await Promise.all(counted.map((entry) => settle({ ...look, entry })))
  const hashes = sightings.map(({ entry }) => entry.hash)
  const isUnseen = (nonce: number): boolean =>
    sightings.every(({ entry, receipt }) => entry.nonce !== nonce || receipt === null)
  const waiting = newestWaiting(sightings.map(({ entry }) => entry))
  const firstGap = gapFrom(count, waiting)
  for (const [nonce, newest] of waiting) {
    // Higher fees do nothing for what waits above a gap.
    const mayRaise = nonce < firstGap ? rules : undefined
    if (isUnseen(nonce)) hashes.push((await push(context, newest, mayRaise)).hash)
  }
  if (rules !== undefined) hashes.push(...(await fillGaps(context, count, rules)).map(({ hash }) => hash))
  const standing = await Promise.all([...new Set(hashes)].map((hash) => journal.byHash(hash)))
  return standing.filter((entry) => entry !== null)
}

export type ReconcileContext = FillContext & {
  readonly chain: Pick<Chain, 'id' | 'confirmations' | 'blockTimeSeconds' | 'ordinaryTipGwei'>
}

/** Of attempts at one nonce the newest is what nodes keep. */
function newestWaiting(entries: readonly JournalEntry[]): ReadonlyMap<number, JournalEntry> {
  return new Map(entries.filter(isWaiting).map((entry) => [entry.nonce, entry]))
}

/** The lowest nonce from the chain's count on that nothing waits at. */
function gapFrom(count: number, waiting: ReadonlyMap<number, JournalEntry>): number {
  const taken = new Set([...waiting.values()].flatMap(noncesOf))
  let nonce = count
  while (taken.has(nonce)) nonce += 1
  return nonce
}

/** Sends an entry again and raises its fees when they keep it out of a block. Gives what waits at its nonce now. */
async function push(
  context: ReconcileContext,
  entry: JournalEntry,
  rules: ReplacementRules | undefined,
): Promise<JournalEntry> {
  const { chain, journal, now } = context
  const answer = await offerEntry(context, entry)
  if (answer === 'wait') return entry
  const sent = await markSent(journal, entry, 'broadcast')
  if (rules === undefined || answer === 'nonce-used') return sent
  const waited = now() - entry.signedAt
  // A clock that went back says nothing about how long; the fees alone decide then.
  const isLong = waited < 0 || waited > stuckAfter(rules, chain)
  return answer === 'underpriced' || isLong ? raiseIfStuck(context, sent, rules) : sent
}
