import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Pool } from '../../ports.ts'

/** The pool's price in whole tokens, token1 per token0 in the caller's order. */
export function callerPrice(pool: Pool, inverted: boolean): number {
  const price = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
  return inverted ? 1 / price : price
}
