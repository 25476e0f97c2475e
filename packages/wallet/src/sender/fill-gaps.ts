import type { JournalEntry } from '../journal.ts'
import { broadcastEntry, type BroadcastContext } from './broadcast-entry.ts'
import { noOpAt } from './cancel-entry.ts'
import { isNoOp, isRefused, isWaiting, noncesOf } from './entry-state.ts'
import type { ReplaceContext } from './replace-entry.ts'
import type { ReplacementRules } from './replacement-rules.ts'
import { signAttempt } from './sign-attempt.ts'

/**
 * Uses nonces up that nothing waits at, so that what waits above them is mined: a few no-ops a call, lowest nonce first.
 * Nonces whose transactions were refused are used up too after a while, for only that proves that the bytes are never
 * mined. Does nothing while the counts of the chain differ: `countBefore` was read earlier, and all endpoints are asked.
 */
export async function fillGaps(
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

export type FillContext = ReplaceContext &
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
