import type { JournalEntry, JournalState } from '@svc/wallet'

/**
 * Whether a signed transaction may have an effect: false only where it is proved that it is never mined, since another
 * transaction was read in a settled block at its nonce. Bytes an endpoint declined may have been forwarded all the same.
 */
export function wentOut({ state }: Pick<JournalEntry, 'state'>): boolean {
  return !neverMined.has(state)
}

/**
 * Whether it is open what a request did because an endpoint declined bytes of it, and nothing else of it is out: such a
 * request is asked for again, and is free once the chain has shown that the bytes are never mined.
 */
export function isInDoubt(entries: readonly Pick<JournalEntry, 'state'>[]): boolean {
  const left = entries.filter(wentOut)
  return left.length > 0 && left.every(({ state }) => state === 'refused')
}

/** Whether a request signed something and all of it is proved never to be mined. */
export function isProvedDead(entries: readonly Pick<JournalEntry, 'state'>[]): boolean {
  return entries.length > 0 && !entries.some(wentOut)
}

const neverMined: ReadonlySet<JournalState> = new Set<JournalState>(['superseded', 'replaced'])
