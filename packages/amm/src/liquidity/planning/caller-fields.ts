import type { AmountFields } from './deposit/fit-amounts.ts'
import { flip } from './flip.ts'

/** What the caller calls the pool's amount0 and amount1. */
export function callerFields(inverted: boolean): AmountFields {
  return flip(inverted, { amount0: 'amount0', amount1: 'amount1' })
}
