import { invertTicks, priceFromTick, type TickRange } from '@svc/lp-math'
import type { AddPreview, Pool } from '../../../ports.ts'
import { callerPrice } from '../caller-price.ts'
import { flip } from '../flip.ts'

/** What a planned deposit into a range looks like from the caller's side; `amount0`, `amount1` and ticks in the pool's order. */
export function previewAdd(facts: {
  readonly pool: Pool
  readonly createsPool: boolean
  readonly inverted: boolean
  readonly ticks: TickRange
  readonly liquidity: bigint
  readonly amount0: bigint
  readonly amount1: bigint
}): AddPreview {
  const { pool, inverted, ticks } = facts
  const [base, quote] = inverted ? [pool.token1, pool.token0] : [pool.token0, pool.token1]
  const seen = inverted ? invertTicks(ticks) : ticks
  return {
    pool,
    createsPool: facts.createsPool,
    ...ticks,
    priceLower: priceFromTick(seen.tickLower, base.decimals, quote.decimals),
    priceUpper: priceFromTick(seen.tickUpper, base.decimals, quote.decimals),
    currentPrice: callerPrice(pool, inverted),
    liquidity: facts.liquidity,
    ...flip(inverted, { amount0: facts.amount0, amount1: facts.amount1 }),
  }
}
