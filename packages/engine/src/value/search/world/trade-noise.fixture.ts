import { amountOf } from './sim-token.fixture.ts'
import { chance, logUniform } from './draws.fixture.ts'
import { priceOf } from './outside-market.fixture.ts'
import { trade } from './pool-trades.fixture.ts'
import { sidesOf } from './sim-pool.fixture.ts'
import type { SimWorld } from './sim-world.fixture.ts'

/** Others, who trade small amounts in the pools of the market, each way alike. */
export function tradeNoise(world: SimWorld, seconds: number): void {
  for (const plan of world.scenario.pools) {
    if (!chance(world.random, Math.min(0.9, seconds / world.scenario.tradeEverySeconds))) continue
    const pool = world.pools.get(plan.name)
    if (pool === undefined) continue
    const zeroForOne = chance(world.random, 0.5)
    const [tokenIn] = sidesOf(pool, zeroForOne)
    const usd = plan.sideUsd * logUniform(world.random, 1e-5, 2e-3)
    const amountIn = amountOf(tokenIn, usd, priceOf(world.market, tokenIn))
    trade(world, pool, { zeroForOne, amountIn }, 'trader')
  }
}
