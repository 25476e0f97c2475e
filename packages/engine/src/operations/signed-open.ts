import type { JournalEntry } from '@svc/wallet/core'

/** Whether a signed transaction may still be mined, or is mined and not settled yet. */
export function isSignedOpen({ state }: Pick<JournalEntry, 'state'>): boolean {
  return state === 'signed' || state === 'broadcast' || state === 'mined'
}
