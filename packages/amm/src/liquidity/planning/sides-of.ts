import type { Amounts } from '@svc/lp-math'
import type { Token } from '../../ports.ts'
import type { PaidSide } from './plan-payment.ts'

/** Two amounts, each beside its token. */
export function sidesOf(token0: Token, token1: Token, { amount0, amount1 }: Amounts): [PaidSide, PaidSide] {
  return [
    { token: token0, amount: amount0 },
    { token: token1, amount: amount1 },
  ]
}
