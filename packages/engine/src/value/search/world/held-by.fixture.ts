import type { Pair } from './deposits.fixture.ts'
import type { SimPool } from './sim-pool.fixture.ts'
import { amountsAt } from './tick-pool.fixture.ts'

/** What a pool really holds of both tokens, but for fees that nobody has collected. */
export function heldBy(pool: SimPool): Pair {
  if (pool.version === 'v2') return { amount0: pool.pair.reserve0, amount1: pool.pair.reserve1 }
  const { ticks, sqrtPriceX96 } = pool.state
  let [amount0, amount1, liquidity] = [0n, 0n, 0n]
  for (const [index, { tick: tickLower, liquidityNet }] of ticks.entries()) {
    const upper = ticks[index + 1]
    liquidity += liquidityNet
    if (upper === undefined || liquidity === 0n) continue
    const held = amountsAt(sqrtPriceX96, { tickLower, tickUpper: upper.tick }, liquidity, false)
    amount0 += held.amount0
    amount1 += held.amount1
  }
  return { amount0, amount1 }
}
