import type { PublicClient, TransactionReceipt } from 'viem'
import type { Chain } from '../chain.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import { startDeadline } from './deadline.ts'
import { receiptOf, settle, settledCount } from './settle.ts'
import { submit } from './submit.ts'

/**
 * Watches one entry until it is settled or time is up. Own loop rather than a library's: it also works when it starts
 * after a replacement, knows every attempt at the nonce, takes a vanished receipt back to `broadcast` and re-sends the
 * stored bytes, and outlives an endpoint that fails for a while.
 */
export async function confirmEntry(
  context: ConfirmContext,
  entry: JournalEntry,
  options: ConfirmOptions = {},
): Promise<Confirmation> {
  const { client, chain, journal } = context
  const { confirmations = chain.confirmations, timeoutMs = 120_000, pollMs = pollOf(chain), signal } = options
  const { resendAfterMs = Math.max(15_000, chain.blockTimeSeconds * 4_000) } = options
  const deadline = startDeadline(timeoutMs, signal)
  const graceMs = Math.max(1_000, chain.blockTimeSeconds * 1_000)
  let current = entry
  let sentAt = performance.now()
  let usedSince: number | null = null
  let waitMs = Math.min(pollMs, Math.max(20, chain.blockTimeSeconds * 25))

  async function look(turn: number): Promise<Confirmation> {
    // Whether someone else took the nonce is asked on every fourth look: it costs one or two requests more. Nodes may count
    // a transaction before they show its receipt, so a used nonce without one is a verdict only after a while.
    const count = (): Promise<number> => settledCount(client, current.from, confirmations)
    const asks = turn % 4 === 3
    const isLongUsed = usedSince !== null && performance.now() - usedSince > graceMs
    const settled = { client, journal, confirmations, ...(asks && isLongUsed ? { settledCount: count } : {}) }
    current = (await journal.byHash(current.hash)) ?? current
    const before = current.state
    const sighting = await settle({ ...settled, entry: current })
    current = sighting.entry
    if (asks && sighting.receipt === null && usedSince === null && (await count()) > current.nonce) {
      usedSince = performance.now()
    }
    const isReorg = before === 'mined' && current.state === 'broadcast'
    const isQuiet = sighting.receipt === null && performance.now() - sentAt > resendAfterMs
    if (current.state === 'broadcast' && (isReorg || isQuiet)) {
      await submit(client, current.rawTransaction)
      sentAt = performance.now()
    }
    return toConfirmation(client, current, sighting.receipt)
  }

  try {
    for (let turn = 0; !deadline.isOver(); turn += 1) {
      // A failing endpoint is no verdict: the transaction is out, so the watch goes on.
      const seen = await deadline.race(look(turn).catch(() => undefined))
      if (seen !== undefined && seen.status !== 'pending') return seen
      await deadline.pause(waitMs)
      waitMs = Math.min(waitMs * 1.5, pollMs)
    }
    return { status: 'pending', entry: current }
  } finally {
    deadline.stop()
  }
}

/**
 * - final, reverted: mined with the asked confirmations; `receipt` is the one that counts
 * - replaced, superseded, refused: this transaction will never be mined; see `JournalState`
 * - pending: nothing is known yet; the transaction is out and may still be mined
 */
export type Confirmation =
  | { readonly status: 'final' | 'reverted'; readonly entry: JournalEntry; readonly receipt: TransactionReceipt }
  | { readonly status: 'replaced' | 'superseded' | 'refused' | 'pending'; readonly entry: JournalEntry }

export type ConfirmOptions = {
  /** Blocks, the one that holds the transaction included. The chain's own number by default. */
  readonly confirmations?: number
  /** 120 s by default. */
  readonly timeoutMs?: number
  /** The longest pause between looks; half a block by default. */
  readonly pollMs?: number
  /** The bytes are sent again after this long without a receipt; 15 s or four blocks by default. */
  readonly resendAfterMs?: number
  /** Ends the watch with `pending`. The transaction is not affected. */
  readonly signal?: AbortSignal
}

export type ConfirmContext = {
  readonly client: PublicClient
  readonly chain: Pick<Chain, 'confirmations' | 'blockTimeSeconds'>
  readonly journal: Journal
}

function pollOf(chain: ConfirmContext['chain']): number {
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
