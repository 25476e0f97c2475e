import { heldBy } from '../world/held-by.fixture.ts'
import { priceOf } from '../world/outside-market.fixture.ts'
import type { SimPool } from '../world/sim-pool.fixture.ts'
import type { SimWorld, Step } from '../world/sim-world.fixture.ts'
import type { ProgramResult } from './run-program.fixture.ts'

/**
 * A program as data that a real chain can do again: what stands at its beginning, and everything that anybody does, in order, with
 * block, time and amounts in smallest units. Trades of the arbitrageur and of others are among the steps.
 */
export function replayableOf(start: SimWorld, result: ProgramResult): Replayable {
  const { scenario, market } = start
  const { program, steps, lossUsd, boundUsd, stakedUsd, attackerUsd } = result
  return {
    program,
    blockSeconds: scenario.blockSeconds,
    pastBlocks: scenario.pastBlocks,
    strict: scenario.strict,
    block: start.block,
    timestamp: start.timestamp,
    tokens: scenario.tokens.map(({ token, feed, namedPools }) => ({
      symbol: token.symbol,
      decimals: token.decimals,
      usd: priceOf(market, token),
      feed,
      namedPools,
      balance: `${start.agent.balances.get(token) ?? 0n}`,
    })),
    pools: [...start.pools.values()].map(poolAsData),
    steps,
    lossUsd,
    boundUsd,
    stakedUsd,
    attackerUsd,
  }
}

export type Replayable = Pick<ProgramResult, 'program' | 'lossUsd' | 'boundUsd' | 'stakedUsd' | 'attackerUsd'> & {
  readonly blockSeconds: number
  readonly pastBlocks: number
  readonly strict: boolean
  readonly block: number
  readonly timestamp: number
  readonly tokens: readonly object[]
  readonly pools: readonly object[]
  readonly steps: readonly Step[]
}

function poolAsData(pool: SimPool): object {
  const { name, version, fee, token0, token1 } = pool
  const held = heldBy(pool)
  const common = {
    name,
    version,
    fee,
    token0: token0.symbol,
    token1: token1.symbol,
    amount0: `${held.amount0}`,
    amount1: `${held.amount1}`,
  }
  if (pool.version === 'v2') return common
  const { sqrtPriceX96, tickSpacing, observationCardinality, positions } = pool.state
  const ranges = [...positions].map(([key, { liquidity }]) => {
    const [owner, tickLower, tickUpper] = key.split(':')
    return { owner, tickLower: Number(tickLower), tickUpper: Number(tickUpper), liquidity: `${liquidity}` }
  })
  return {
    ...common,
    tickSpacing,
    sqrtPriceX96: `${sqrtPriceX96}`,
    cardinality: observationCardinality,
    positions: ranges,
  }
}
