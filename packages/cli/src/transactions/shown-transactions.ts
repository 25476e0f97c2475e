import type { StoredTransaction, Transactions } from '@svc/store'
import type { JournalState } from '@svc/wallet/core'

/**
 * Everything that is not decided, and after it so many of the newest of the rest, each oldest first; `leftOut` counts the
 * older ones of the rest, and is 0 where none of the rest is asked for.
 */
export async function shownTransactions(
  transactions: Pick<Transactions, 'list' | 'count'>,
  mostDecided: number,
): Promise<{ readonly found: readonly StoredTransaction[]; readonly leftOut: number }> {
  const found = await transactions.list({ states: undecided })
  if (mostDecided === 0) return { found, leftOut: 0 }
  const rest = await transactions.list({ states: decided, limit: mostDecided })
  return { found: [...found, ...rest], leftOut: Math.max(0, (await transactions.count(decided)) - rest.length) }
}

const undecided = ['signed', 'broadcast', 'mined', 'refused'] as const satisfies readonly JournalState[]
const decided = ['final', 'reverted', 'replaced', 'superseded'] as const satisfies readonly JournalState[]
