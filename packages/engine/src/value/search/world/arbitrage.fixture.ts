import { outsideRawPrice } from './outside-market.fixture.ts'
import { swapToPrice } from './pool-trades.fixture.ts'
import { rawPriceOf, type SimPool } from './sim-pool.fixture.ts'
import type { SimWorld } from './sim-world.fixture.ts'

/**
 * Somebody with unlimited funds who knows the price outside. A pool that stood off the market, fee included, at the end of as many
 * blocks as the scenario says is revoked until nothing is left to earn.
 *
 * @param mode `watch`: looks at which pools are off without trading; for the end of a block in which he has traded before others did.
 */
export function arbitrage(world: SimWorld, mode: 'act' | 'watch'): void {
  for (const pool of world.pools.values()) {
    const target = targetOf(world, pool)
    if (target === null) {
      world.offSince.delete(pool.name)
      continue
    }
    const since = world.offSince.get(pool.name)
    if (since === undefined) world.offSince.set(pool.name, world.block)
    else if (mode === 'act' && world.block - since >= world.scenario.arbitrageBlocks) {
      swapToPrice(world, pool, target, 'arbitrageur')
      world.offSince.delete(pool.name)
    }
  }
}

/** The price he takes a pool to, `null` where it stands within its fee of the market or holds nothing to gain. */
function targetOf(world: SimWorld, pool: SimPool): number | null {
  const outside = outsideRawPrice(world.market, pool)
  if (outside === null) return null
  const price = rawPriceOf(pool)
  const wanted = outside * dissentOf(world, pool)
  const keeps = 1 - pool.fee / 1e6
  if (price < wanted * keeps * (1 - slack)) return wanted * keeps
  return price > (wanted / keeps) * (1 + slack) ? wanted / keeps : null
}

/** Less is not worth the gas. */
const slack = 4e-4

function dissentOf(world: SimWorld, pool: SimPool): number {
  return world.dissents.get(pool.name) ?? 1
}
