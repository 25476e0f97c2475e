import { MAX_TICK } from '@svc/lp-math'
import type { Pool } from '../../ports.ts'

/**
 * The tick of a price of a subgraph, whole token0 for one token1: log of the inverse in smallest units, with `tickScale` of its
 * pool. What rounding puts beyond the last tick is at it.
 */
export function tickAt(price: number, scale: number): number {
  const tick = (scale - Math.log(price)) / Math.log(1.0001)
  return Math.abs(Math.abs(tick) - MAX_TICK) < 1e-6 ? Math.sign(tick) * MAX_TICK : tick
}

export function tickScale({ token0, token1 }: Pick<Pool, 'token0' | 'token1'>): number {
  return (token1.decimals - token0.decimals) * Math.LN10
}
