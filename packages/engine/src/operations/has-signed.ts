import type { Transactions } from '@svc/store'
import { isCancelled } from '../recovery/mined-instead-of.ts'
import { wentOut } from './went-out.ts'

/**
 * Whether a request signed anything that may have an effect, or that the operator took back: then its answer stands, and
 * the same call is not run again.
 */
export async function hasSigned(transactions: Pick<Transactions, 'byRequest'>, requestId: string): Promise<boolean> {
  return (await transactions.byRequest(requestId)).some((entry) => wentOut(entry) || isCancelled(entry))
}
