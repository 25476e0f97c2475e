import type { Pool } from '@svc/amm'
import { wholeFee } from '../fees/whole-fee.ts'

/** By what fraction a price must move before a trade follows it for gain: the fee of the pool, and at least a tick. */
export function leastMove(pool: Pick<Pool, 'version' | 'fee' | 'protocolFee'>): number {
  return Math.max(wholeFee(pool).feePips / 1e6, 1e-4)
}
