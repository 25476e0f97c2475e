import type { JournalEntry } from '@svc/wallet/core'
import type { StoredTransaction } from '@svc/store'

/** What a request signed, step by step: each with its attempts, in the order they were signed. */
export function signedSteps<Entry extends Pick<StoredTransaction, 'step'>>(
  entries: readonly Entry[],
): readonly (readonly Entry[])[] {
  const steps = new Map<number, Entry[]>()
  for (const entry of entries) {
    const attempts = steps.get(entry.step)
    if (attempts === undefined) steps.set(entry.step, [entry])
    else attempts.push(entry)
  }
  return [...steps.values()]
}

/** Whether a signed transaction may still be mined, or is mined and not settled yet. */
export function isSignedOpen({ state }: Pick<JournalEntry, 'state'>): boolean {
  return state === 'signed' || state === 'broadcast' || state === 'mined'
}
