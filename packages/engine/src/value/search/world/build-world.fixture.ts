import {
  createRandom,
  fullRangeTicks,
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
} from '@svc/lp-math'
import type { Hex } from 'viem'
import { createMarket, outsideRawPrice, priceOf } from './outside-market.fixture.ts'
import { keepPast } from './pool-past.fixture.ts'
import { own, type PoolPlan, type Scenario } from './scenario.fixture.ts'
import type { SimAccount } from './sim-account.fixture.ts'
import { createPair } from './sim-pair.fixture.ts'
import { type SimPool, sqrtPriceOfRaw } from './sim-pool.fixture.ts'
import { amountOf } from './sim-token.fixture.ts'
import { firstBlock, firstTimestamp, type SimWorld } from './sim-world.fixture.ts'
import { createTickPool, mintInTickPool } from './tick-pool.fixture.ts'

/** The world of a scenario with its pools at the price outside, before any trade. */
export function buildWorld(scenario: Scenario): SimWorld {
  const market = createMarket(scenario, firstTimestamp)
  const world: SimWorld = {
    scenario,
    random: createRandom(scenario.seed, 2),
    block: firstBlock,
    timestamp: firstTimestamp,
    pools: new Map(),
    changed: new Set(),
    offSince: new Map(),
    dissents: new Map(scenario.pools.map(({ name, dissent }) => [name, dissent])),
    market,
    agent: accountOf('agent'),
    attacker: accountOf('attacker'),
    sightings: [],
    steps: null,
  }
  for (const plan of scenario.pools) world.pools.set(plan.name, openPool(world, plan))
  for (const { token } of scenario.tokens) {
    world.agent.balances.set(token, amountOf(token, agentUsdOfEach, priceOf(market, token)))
    world.attacker.balances.set(token, token.usdPegged ? amountOf(token, attackerUsd, 1) : 0n)
  }
  world.attacker.balances.set(own, 0n)
  world.agent.balances.set(own, 0n)
  return world
}

export const agentUsdOfEach = 200_000
export const attackerUsd = 1_000_000

/** Ids are addresses of digits alone, in order of creation; of v4, PoolIds. */
export function poolIdAt(index: number, version: SimPool['version']): Hex {
  return `0x${String(index + 1).padStart(version === 'v4' ? 64 : 40, '2')}`
}

function accountOf(name: string): SimAccount {
  return { name, balances: new Map(), positions: [], minted: 0 }
}

function openPool(world: SimWorld, plan: PoolPlan): SimPool {
  const { name, version, token0, token1, fee, tickSpacing, cardinality, sideUsd } = plan
  const { market, timestamp } = world
  const common = { id: poolIdAt(world.pools.size, version), name, token0, token1, fee, past: [] }
  const amount0 = amountOf(token0, sideUsd, priceOf(market, token0))
  const amount1 = amountOf(token1, sideUsd, priceOf(market, token1))
  const raw = (outsideRawPrice(market, plan) ?? 1) * plan.dissent
  const sqrtPriceX96 = sqrtPriceOfRaw(raw)
  const pool: SimPool =
    version === 'v2'
      ? {
          ...common,
          version,
          pair: createPair(amount0, BigInt(Math.floor(Number(amount0) * raw)), 'others', timestamp),
        }
      : { ...common, version, state: createTickPool({ fee, tickSpacing, sqrtPriceX96, cardinality, timestamp }) }
  if (pool.version !== 'v2') fillTicks(pool, plan, amount0, amount1, timestamp)
  keepPast(pool, world.block - 1, 0)
  return pool
}

/** Its parts near the price, around it and over the full range. */
function fillTicks(
  { state }: Extract<SimPool, { version: 'v3' | 'v4' }>,
  { tickSpacing, near, wide }: PoolPlan,
  amount0: bigint,
  amount1: bigint,
  timestamp: number,
): void {
  const tick = getTickAtSqrtPrice(state.sqrtPriceX96)
  const at = (ticks: number) => Math.round((tick + ticks) / tickSpacing) * tickSpacing
  const around = (ticks: number) => ({ tickLower: at(-ticks), tickUpper: at(ticks) })
  for (const [share, range] of [
    [1 - near - wide, fullRangeTicks(tickSpacing)],
    [near, around(quarterTicks)],
    [wide, around(doubleTicks)],
  ] as const) {
    const part = (amount: bigint) => (amount * BigInt(Math.floor(share * 1e6))) / 1_000_000n
    const bounds = [getSqrtPriceAtTick(range.tickLower), getSqrtPriceAtTick(range.tickUpper)] as const
    const liquidity = getLiquidityForAmounts(state.sqrtPriceX96, ...bounds, part(amount0), part(amount1))
    if (liquidity > 0n) mintInTickPool(state, { owner: 'others', ...range }, liquidity, timestamp)
  }
}

/** ln(1.25) and ln(2) by ln(1.0001), about. */
const quarterTicks = 2232
const doubleTicks = 6932
