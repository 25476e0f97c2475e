import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Pool, Position } from '../../ports.ts'

/** A position with what its liquidity would pay out now. */
export function positionOf(facts: Omit<Position, 'pool' | 'amount0' | 'amount1'>, pool: Pool): Position {
  const { tickLower, tickUpper, liquidity } = facts
  const amounts = getAmountsForLiquidity(
    pool.sqrtPriceX96,
    getSqrtPriceAtTick(tickLower),
    getSqrtPriceAtTick(tickUpper),
    liquidity,
    false,
  )
  return { ...facts, pool, ...amounts }
}
