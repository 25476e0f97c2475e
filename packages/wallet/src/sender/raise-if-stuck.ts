import type { Chain } from '../chain.ts'
import type { JournalEntry } from '../journal.ts'
import { feesNow, isBelow } from './fees-now.ts'
import { replaceEntry, type ReplaceContext } from './replace-entry.ts'
import type { ReplacementRules } from './replacement-rules.ts'

/**
 * Raises the fees at the nonce of an entry that waits, when it offers less than the chain asks. The caller says when it
 * has waited long enough. Gives what waits at the nonce now. Rejects when the endpoint or the journal does not answer.
 */
export async function raiseIfStuck(
  context: ReplaceContext,
  entry: JournalEntry,
  rules: ReplacementRules,
): Promise<JournalEntry> {
  const now = await feesNow(context.client, context.chain)
  if (!isBelow(entry, now)) return entry
  return (await replaceEntry(context, entry, { ...rules, fees: now.lasting })).entry
}

/** How long a transaction waits before its fees are held against the chain's, in milliseconds. */
export function stuckAfter(rules: ReplacementRules, chain: Pick<Chain, 'blockTimeSeconds'>): number {
  return rules.stuckAfterMs ?? Math.max(30_000, chain.blockTimeSeconds * 5_000)
}
