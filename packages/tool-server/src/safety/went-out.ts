import type { JournalEntry, JournalState } from '@svc/wallet'

/**
 * Whether a signed transaction went out, or still may: false for bytes the endpoint declined and for those whose nonce
 * another transaction took, which will never be mined.
 */
export function wentOut({ state }: Pick<JournalEntry, 'state'>): boolean {
  return !neverMined.has(state)
}

const neverMined: ReadonlySet<JournalState> = new Set<JournalState>(['refused', 'superseded', 'replaced'])
