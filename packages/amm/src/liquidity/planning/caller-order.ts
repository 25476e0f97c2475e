import type { AmountFields } from './deposit/fit-amounts.ts'
import { flip } from './order-pair.ts'
import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Pool } from '../../ports.ts'

/** The pool's price in whole tokens, token1 per token0 in the caller's order. */
export function callerPrice(pool: Pool, inverted: boolean): number {
  const price = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
  return inverted ? 1 / price : price
}

/** What the caller calls the pool's amount0 and amount1. */
export function callerFields(inverted: boolean): AmountFields {
  return flip(inverted, { amount0: 'amount0', amount1: 'amount1' })
}
