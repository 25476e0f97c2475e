import type { JournalEntry } from '../journal.ts'

/** Whether what became of the transaction is not known for good. */
export function isOpen({ state }: Pick<JournalEntry, 'state'>): boolean {
  return state === 'signed' || state === 'broadcast' || state === 'mined'
}

/** Whether the transaction waits for a block. */
export function isWaiting({ state }: Pick<JournalEntry, 'state'>): boolean {
  return state === 'signed' || state === 'broadcast'
}

/**
 * Whether it is proved that the transaction is never mined, since another one took its nonce for good. A refused one is not
 * among them: the endpoint that declined its bytes may have passed them on.
 */
export function isNeverMined({ state }: Pick<JournalEntry, 'state'>): boolean {
  return state === 'replaced' || state === 'superseded'
}

/** Whether nothing but refusals happened: then the nonce of these attempts is free. */
export function isRefused({ state }: Pick<JournalEntry, 'state'>): boolean {
  return state === 'refused'
}

/** Whether the entry is a transfer of nothing to the wallet itself that only uses its nonce up. */
export function isNoOp({ requestId }: Pick<JournalEntry, 'requestId'>): boolean {
  return requestId.startsWith(noOpPrefix)
}

/** What no-ops are recorded under: a request of their own for each nonce. */
export function noOpRequest(chainId: number, from: string, nonce: number): string {
  return `${noOpPrefix}${chainId}:${from.toLowerCase()}:${nonce}`
}

const noOpPrefix = 'no-op:'
