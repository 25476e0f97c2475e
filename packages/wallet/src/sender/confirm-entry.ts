import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PublicClient, TransactionReceipt } from 'viem'
import type { Chain } from '../chain.ts'
import type { JournalEntry } from '../journal.ts'
import { markSent, isPrivateOver, offerEntry, type Answer } from './broadcast-entry.ts'
import { startDeadline } from '../with-deadline.ts'
import { isOpen, isWaiting } from './entry-state.ts'
import { raiseIfStuck, type ReplaceContext, stuckAfter, type ReplacementRules } from './replace-entry.ts'
import { askOutcome, receiptOf, settle, settledCount, type Sighting } from './settle.ts'

/**
 * Watches one entry and whatever was signed in its place until one of them is settled or time is up. Own loop rather than
 * a library's: it also works when it starts after a replacement, knows every attempt at the nonce, takes a vanished
 * receipt back to `broadcast` and re-sends the stored bytes, raises fees where it may, and outlives an endpoint that
 * fails for a while.
 */
export async function confirmEntry(
  context: ConfirmContext,
  entry: JournalEntry,
  options: ConfirmOptions = {},
): Promise<Confirmation> {
  const { chain } = context
  const { confirmations = chain.confirmations, timeoutMs = 120_000, pollMs = pollOf(chain), signal } = options
  const { resendAfterMs = Math.max(15_000, chain.blockTimeSeconds * 4_000), replacing, beside } = options
  const now = performance.now()
  const times = { sentAt: now, raisedAt: now, usedSince: null }
  const watch: Watch = { confirmations, resendAfterMs, replacing, beside, entry, ...times }
  const deadline = startDeadline(timeoutMs, signal)
  let waitMs = Math.min(pollMs, Math.max(20, chain.blockTimeSeconds * 25))
  try {
    for (let turn = 0; !deadline.isOver(); turn += 1) {
      // A failing endpoint is no verdict: the transaction is out, so the watch goes on.
      const seen = await deadline.race(look(context, watch, turn).catch(() => undefined))
      if (seen !== undefined && seen.status !== 'pending') return seen
      await deadline.pause(waitMs)
      waitMs = Math.min(waitMs * 1.5, pollMs)
    }
    return { status: 'pending', entry: watch.entry }
  } finally {
    deadline.stop()
  }
}

/**
 * `entry` is the attempt that counts: the mined one where one is, else the newest.
 *
 * - final, reverted: mined with the asked confirmations; `receipt` is the one that counts
 * - replaced, superseded, refused: the call will never be mined by this request; see `JournalState`
 * - pending: nothing is known yet; the transaction is out and may still be mined
 */
export type Confirmation =
  | { readonly status: 'final' | 'reverted'; readonly entry: JournalEntry; readonly receipt: TransactionReceipt }
  | { readonly status: 'replaced' | 'superseded' | 'refused' | 'pending'; readonly entry: JournalEntry }

/** How a transaction is watched, and for how long. */
export type ConfirmOptions = {
  /** Blocks, the one that holds the transaction included. The chain's own number by default. */
  readonly confirmations?: number
  /** 120 s by default. */
  readonly timeoutMs?: number
  /** The longest pause between looks; half a block by default. */
  readonly pollMs?: number
  /** The bytes are sent again after this long without a receipt; 15 s or four blocks by default. */
  readonly resendAfterMs?: number
  /** Begun with each look, so that what it asks of the endpoint travels in the same batch; a look takes as long as it does. */
  readonly beside?: () => Promise<void>
  /** Ends the watch with `pending`. The transaction is not affected. */
  readonly signal?: AbortSignal
  /** Lets the watch raise the fees of a transaction that is stuck. Without it nothing is signed. */
  readonly replacing?: ReplacementRules
}

export type ConfirmContext = ReplaceContext & {
  readonly chain: Pick<Chain, 'id' | 'confirmations' | 'blockTimeSeconds' | 'ordinaryTipGwei'>
}

type Watch = {
  readonly confirmations: number
  readonly resendAfterMs: number
  readonly replacing: ReplacementRules | undefined
  readonly beside: ConfirmOptions['beside']
  /** The newest attempt of the request that was watched last. */
  entry: JournalEntry
  sentAt: number
  raisedAt: number
  /** Since when the nonce is used without a receipt of ours. */
  usedSince: number | null
}

async function look(context: ConfirmContext, watch: Watch, turn: number): Promise<Confirmation> {
  const { client, chain, journal } = context
  const { confirmations, entry: expected } = watch
  // Of the attempt that is most likely the only one; the journal is read while that is on its way.
  const asked = isOpen(expected) ? askOutcome(client, expected, confirmations) : undefined
  const beside = watch.beside?.()
  for (const begun of [asked, beside]) begun?.catch(() => undefined)
  await untilSent()
  const attempts = await ownAttempts(context, expected)
  // Whether someone else took the nonce is asked on every fourth look: it costs one or two requests more. Nodes may count
  // a transaction before they show its receipt, so a used nonce without one is a verdict only after a while.
  const count = (): Promise<number> => settledCount(client, watch.entry.from, confirmations)
  const graceMs = Math.max(1_000, chain.blockTimeSeconds * 1_000)
  const asks = turn % 4 === 3
  const isLongUsed = watch.usedSince !== null && performance.now() - watch.usedSince > graceMs
  const settled = { client, journal, confirmations, ...(asks && isLongUsed ? { settledCount: count } : {}) }
  const [sightings] = await Promise.all([
    Promise.all(
      attempts.map(async (entry) => {
        if (!isOpen(entry)) return { entry, receipt: null }
        // What another watcher has seen meanwhile is newer than the answer.
        const isAsked = entry.hash === expected.hash && isSameSighting(entry, expected)
        return settle({ ...settled, entry, ...(isAsked && asked !== undefined ? { asked } : {}) })
      }),
    ),
    beside,
  ])
  const seen = foremost(sightings, watch.entry)
  watch.entry = seen.entry
  const isUnseen = sightings.every(({ receipt }) => receipt === null)
  if (asks && isUnseen && watch.usedSince === null && (await count()) > watch.entry.nonce) {
    watch.usedSince = performance.now()
  }
  if (isUnseen && isWaiting(seen.entry)) {
    const isReorg = attempts.some(({ state }) => state === 'mined')
    watch.entry = await push(context, watch, { isReorg, asks })
    // Another watcher saw the nonce settled meanwhile, maybe by another attempt of this request: the next look weighs them all.
    if (!isWaiting(watch.entry)) return { status: 'pending', entry: watch.entry }
  }
  return toConfirmation(client, watch.entry, seen.receipt)
}

/** Resolves when requests that were begun just now have left: those of one turn of the event loop travel together, in the next. */
async function untilSent(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

function isSameSighting(one: JournalEntry, other: JournalEntry): boolean {
  return one.state === other.state && one.blockHash === other.blockHash
}

/** What the request of an entry signed at its nonce, oldest first. */
async function ownAttempts({ journal }: ConfirmContext, entry: JournalEntry): Promise<readonly JournalEntry[]> {
  const attempts = await journal.byNonce(entry.chainId, entry.from, entry.nonce)
  const own = attempts.filter(({ requestId, step }) => requestId === entry.requestId && step === entry.step)
  return own.length > 0 ? own : [entry]
}

/** The attempt that counts: a settled one, else one in a block, else the newest that waits, else the newest. */
function foremost(sightings: readonly Sighting[], fallback: JournalEntry): Sighting {
  return (
    sightings.find(({ entry }) => entry.state === 'final' || entry.state === 'reverted') ??
    sightings.find(({ receipt }) => receipt !== null) ??
    sightings.findLast(({ entry }) => isWaiting(entry)) ??
    sightings.at(-1) ?? { entry: fallback, receipt: null }
  )
}

/** Sends a transaction again that is out of sight, and raises its fees when they are what keeps it there. */
async function push(
  context: ConfirmContext,
  watch: Watch,
  { isReorg, asks }: { readonly isReorg: boolean; readonly asks: boolean },
): Promise<JournalEntry> {
  const { entry, replacing } = watch
  const now = performance.now()
  let answer: Answer | null = null
  // What is still `signed` waits for its turn: an account with delegated code sends one at a time.
  const isDue = isReorg || entry.state === 'signed' || now - watch.sentAt > watch.resendAfterMs
  if (isDue || (await isPrivateOver(context, entry))) {
    answer = await offerEntry(context, entry)
    if (answer !== 'wait') watch.sentAt = now
  }
  const isHeld = answer === 'wait'
  const sent = isHeld ? entry : await markSent(context.journal, entry, 'broadcast')
  if (replacing === undefined || isHeld || !isWaiting(sent)) return sent
  const isLong = asks && now - watch.raisedAt > stuckAfter(replacing, context.chain)
  if (answer !== 'underpriced' && !isLong) return sent
  watch.raisedAt = now
  return raiseIfStuck(context, sent, replacing)
}

function pollOf(chain: Pick<Chain, 'blockTimeSeconds'>): number {
  return Math.min(2_000, Math.max(100, chain.blockTimeSeconds * 500))
}

async function toConfirmation(
  client: PublicClient,
  entry: JournalEntry,
  seen: TransactionReceipt | null,
): Promise<Confirmation> {
  const { state } = entry
  if (state === 'signed' || state === 'broadcast' || state === 'mined') return { status: 'pending', entry }
  if (state !== 'final' && state !== 'reverted') return { status: state, entry }
  const receipt = seen ?? (await receiptOf(client, entry.hash))
  return receipt === null ? { status: 'pending', entry } : { status: state, entry, receipt }
}
