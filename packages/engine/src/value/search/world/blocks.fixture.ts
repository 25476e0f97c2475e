import { arbitrage } from './arbitrage.fixture.ts'
import { moveMarket } from './outside-market.fixture.ts'
import { keepPast } from './pool-past.fixture.ts'
import type { SimWorld } from './sim-world.fixture.ts'
import { tradeNoise } from './trade-noise.fixture.ts'

/** Mines the pending block: the arbitrageur acts unless he has, others trade, the market moves on. */
export function closeBlock(
  world: SimWorld,
  options: { readonly hasArbitraged?: boolean; readonly blocks?: number } = {},
): void {
  const { hasArbitraged = false, blocks = 1 } = options
  const { scenario } = world
  const seconds = scenario.blockSeconds * blocks
  tradeNoise(world, seconds)
  arbitrage(world, hasArbitraged ? 'watch' : 'act')
  for (const pool of world.changed) keepPast(pool, world.block, world.block - keptBlocks)
  world.changed.clear()
  world.block += blocks
  world.timestamp += seconds
  moveMarket(world.market, scenario, world.random, world.timestamp, seconds)
}

/** Lets time pass, block by block. */
export function wait(world: SimWorld, seconds: number): void {
  const end = world.timestamp + seconds
  while (world.timestamp < end) closeBlock(world)
}

/** Lets time pass in strides of a minute or more, where nobody attacks. */
export function waitFar(world: SimWorld, seconds: number, strideSeconds: number): void {
  const blocks = Math.max(1, Math.round(strideSeconds / world.scenario.blockSeconds))
  const end = world.timestamp + seconds
  while (world.timestamp < end) closeBlock(world, { blocks })
}

/** Older states are asked for by nobody. */
const keptBlocks = 140
