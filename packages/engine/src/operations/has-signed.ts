import type { Transactions } from '@svc/store'
import { isCancelled } from '../recovery/mined-instead-of.ts'
import { mayBeMined } from './may-be-mined.ts'

/**
 * Whether a request signed anything that may have an effect, or that the operator cancelled: then its answer stands, and
 * the same call is not run again.
 */
export async function hasSigned(transactions: Pick<Transactions, 'byRequest'>, requestId: string): Promise<boolean> {
  return (await transactions.byRequest(requestId)).some((entry) => mayBeMined(entry) || isCancelled(entry))
}
