import { parseTransaction } from 'viem'
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

/**
 * The nonces that a signed transaction uses up once it is mined: its own, and the next where an authorization of the same account goes
 * with it (EIP-7702).
 */
export function noncesOf({ nonce, rawTransaction }: Pick<JournalEntry, 'nonce' | 'rawTransaction'>): readonly number[] {
  if (!rawTransaction.startsWith(typeOfDelegating)) return [nonce]
  const { authorizationList = [] } = parseTransaction(rawTransaction)
  return authorizationList.some((authorization) => authorization.nonce === nonce + 1) ? [nonce, nonce + 1] : [nonce]
}

/** First byte of a transaction of type 4. */
const typeOfDelegating = '0x04'

/** Whether the entry is a transfer of nothing to the wallet itself that only uses its nonce up. */
export function isNoOp({ requestId }: Pick<JournalEntry, 'requestId'>): boolean {
  return requestId.startsWith(noOpPrefix)
}

/** What no-ops are recorded under: a request of their own for each nonce. */
export function noOpRequest(chainId: number, from: string, nonce: number): string {
  return `${noOpPrefix}${chainId}:${from.toLowerCase()}:${nonce}`
}

const noOpPrefix = 'no-op:'
