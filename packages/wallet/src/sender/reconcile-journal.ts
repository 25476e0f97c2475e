import type { Chain } from '../chain.ts'
import type { JournalEntry } from '../journal.ts'
import { type BroadcastContext, broadcastEntry, markSent, offerEntry } from './broadcast-entry.ts'
import {
  noOpAt,
  raiseIfStuck,
  type ReplaceContext,
  stuckAfter,
  type ReplacementRules,
  signAttempt,
} from './replace-entry.ts'
import { isNoOp, isRefused, isWaiting, noncesOf } from './entry-state.ts'
import { settle, settledCount } from './settle.ts'

/**
 * Settles or re-sends everything the journal holds open for an account, lowest nonce first, finds out what became of
 * refused bytes, and says how each entry stands now. With `rules` it also raises fees that are too low and uses up nonces
 * that nothing waits at, and may leave out what `onUnread` says. Nothing open becomes `refused` here, for a process that died may have
 * sent it. Rejects when the endpoint does not answer.
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
  const unread = new Set<number>()
  const seen = await Promise.all(
    counted.map(async (entry) => {
      try {
        return await settle({ ...look, entry })
      } catch (error) {
        if (entry.nonce >= taken || rules?.onUnread?.(entry, error) !== true) throw error
        unread.add(entry.nonce)
        return []
      }
    }),
  )
  // Nor is anything else that was signed at its nonce mined any more.
  const sightings = seen.flat().filter(({ entry }) => !unread.has(entry.nonce) || !isWaiting(entry))
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
  if (rules === undefined || answer === 'nonce-used' || !isWaiting(sent)) return sent
  const waited = now() - entry.signedAt
  // A clock that went back says nothing about how long; the fees alone decide then.
  const isLong = waited < 0 || waited > stuckAfter(rules, chain)
  return answer === 'underpriced' || isLong ? raiseIfStuck(context, sent, rules) : sent
}

/**
 * Uses nonces up that nothing waits at, so that what waits above them is mined: a few no-ops a call, lowest nonce first.
 * Nonces whose transactions were refused are used up too after a while, for only that proves that the bytes are never
 * mined. Does nothing while the counts of the chain differ: `countBefore` was read earlier, and all endpoints are asked.
 */
async function fillGaps(
  context: FillContext,
  countBefore: number,
  rules: ReplacementRules,
): Promise<readonly JournalEntry[]> {
  const { address, chain, journal, counts } = context
  const [open, refused] = await Promise.all([journal.open(chain.id, address), journal.refused(chain.id, address)])
  const gaps = gapsBetween(countBefore, open, refused)
  if (gaps.length === 0 || (await counts()).some((count) => count !== countBefore)) return []
  const filled: JournalEntry[] = []
  for (const { nonce, isWaitedFor } of gaps) {
    if (filled.length === mostAtOnce) break
    const attempts = await journal.byNonce(chain.id, address, nonce)
    if (!attempts.every(isRefused) || !isDue(context, attempts, isWaitedFor)) continue
    const noOp = await signAttempt(context, { ...(await noOpAt(context, nonce)), replaces: null }, rules)
    if (typeof noOp === 'object') filled.push(await broadcastEntry(context, noOp))
  }
  return filled
}

type FillContext = ReplaceContext &
  BroadcastContext & {
    readonly address: JournalEntry['from']
    /** How many transactions of the wallet each endpoint that answers counts. */
    readonly counts: () => Promise<readonly number[]>
    /** Unix milliseconds. */
    readonly now: () => number
  }

const mostAtOnce = 3
/** How far above the chain's count is looked. */
const widestGap = 256
const restMs = 60_000

type Gap = { readonly nonce: number; readonly isWaitedFor: boolean }

/** Nonces from the chain's count on at which nothing is open: below the highest open one, or with refused attempts. */
function gapsBetween(count: number, open: readonly JournalEntry[], refused: readonly JournalEntry[]): readonly Gap[] {
  const taken = new Set(open.flatMap(noncesOf))
  const highest = Math.max(-1, ...open.filter(isWaiting).map(({ nonce }) => nonce))
  const missing = Array.from({ length: Math.max(0, Math.min(highest - count, widestGap)) }, (_, index) => count + index)
  const free = refused.map(({ nonce }) => nonce).filter((nonce) => nonce >= count && nonce > highest)
  return [...new Set([...missing, ...free])]
    .filter((nonce) => !taken.has(nonce))
    .sort((a, b) => a - b)
    .map((nonce) => ({ nonce, isWaitedFor: nonce < highest }))
}

/** At once where something waits above; a refused nonce has a minute for a new call; each refused no-op doubles the wait. */
function isDue({ now }: FillContext, attempts: readonly JournalEntry[], isWaitedFor: boolean): boolean {
  const noOps = attempts.filter(isNoOp).length
  if (isWaitedFor && noOps === 0) return true
  const newest = Math.max(0, ...attempts.map(({ signedAt }) => signedAt))
  return now() - newest >= restMs * 2 ** Math.min(noOps, 12)
}
