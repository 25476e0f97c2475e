import type { Amounts } from '@svc/lp-math'
import { maxUint128 } from 'viem'
import { refuseField } from '../planning/refusals.ts'

/** Refuses amounts that the calldata of v4 cannot hold, naming the larger of the two. Gives them back otherwise. */
export function requireUint128(
  amounts: Amounts,
  fields: { readonly amount0: string; readonly amount1: string },
): Amounts {
  if (amounts.amount0 <= maxUint128 && amounts.amount1 <= maxUint128) return amounts
  const field = amounts.amount0 > amounts.amount1 ? fields.amount0 : fields.amount1
  throw refuseField(field, 'The amount is larger than a v4 pool can hold.', 'an amount below 2^128 smallest units')
}
