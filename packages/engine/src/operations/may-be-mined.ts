import type { StoredTransaction } from '@svc/store'
import { isNeverMined, type JournalEntry } from '@svc/wallet/core'
import { approvalOf } from './approval-of.ts'
import { signedSteps } from './signed-steps.ts'

/**
 * Whether a signed transaction may have an effect: false only where it is proved that it is never mined, since another
 * transaction was read in a settled block at its nonce. Bytes an endpoint declined may have been forwarded all the same.
 */
export function mayBeMined(entry: Pick<JournalEntry, 'state'>): boolean {
  return !isNeverMined(entry)
}

/** Whether the operator took a step of a request back: asked so of one of its attempts, and none is ever mined. */
export function isRevoked(attempts: readonly Pick<StoredTransaction, 'state' | 'asked'>[]): boolean {
  return attempts.some(({ asked }) => asked?.what === 'cancel') && !attempts.some(mayBeMined)
}

/**
 * Whether it is open what a request did because an endpoint declined bytes of it, and nothing else of it is out but
 * approvals, which are revoked: such a request is asked for again, and is free once the chain has shown that the bytes
 * are never mined.
 */
export function isInDoubt(entries: readonly Signed[]): boolean {
  const isDeclined = ({ state }: Signed): boolean => state === 'refused'
  return (
    entries.some(isDeclined) && entries.filter(mayBeMined).every((one) => isDeclined(one) || approvalOf(one) !== null)
  )
}

/** Whether an approval was mined: it leaves nothing but an allowance. */
export function isMinedApproval(entry: Signed): boolean {
  return entry.state === 'final' && approvalOf(entry) !== null
}

/**
 * Whether a request signed something and nothing of it has an effect: a step is proved never to be mined, which the
 * operator did not ask for, and at most approvals for it were mined.
 */
export function isProvedDead(entries: readonly (Signed & Pick<StoredTransaction, 'step' | 'asked'>)[]): boolean {
  const dead = signedSteps(entries).filter((attempts) => !attempts.some(mayBeMined))
  return dead.length > 0 && !dead.some(isRevoked) && entries.filter(mayBeMined).every(isMinedApproval)
}

type Signed = Pick<JournalEntry, 'state' | 'rawTransaction'>
