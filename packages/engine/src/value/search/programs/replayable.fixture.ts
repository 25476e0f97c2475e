import type { Sighting } from '../../../../../amm/src/ports/prices.ts'
import { heldBy } from '../world/held-by.fixture.ts'
import { priceOf } from '../world/outside-market.fixture.ts'
import { createScenario, own as ownToken, type TokenPlan } from '../world/scenario.fixture.ts'
import type { SimPool } from '../world/sim-pool.fixture.ts'
import type { SimToken } from '../world/sim-token.fixture.ts'
import type { SimWorld, Step } from '../world/sim-world.fixture.ts'
import { agedWorld, type Look, passRecentTime } from '../world/warm-world.fixture.ts'
import type { ProgramResult } from './run-program.fixture.ts'

/** As `warmWorld`, with what a real chain needs to come to the same moment: what stood 35 minutes before, and what happened since. */
export function recordedStart(seed: number, look: Look): RecordedStart {
  const world = agedWorld(createScenario(seed), look)
  const since = standing(world)
  world.steps = []
  passRecentTime(world, look)
  const past = world.steps
  world.steps = null
  return { world, since, past }
}

export type RecordedStart = {
  /** Where programs begin. */
  readonly world: SimWorld
  readonly since: Standing
  readonly past: readonly Step[]
}

/**
 * A program as data that a real chain can do again: what stands some time before it begins, and everything that anybody does from then on,
 * in order, with block, time and amounts in smallest units. Trades of the arbitrageur and of others are among the steps.
 */
export function replayableOf({ world, since, past }: RecordedStart, result: ProgramResult): Replayable {
  const { blockSeconds, pastBlocks, strict } = world.scenario
  const { program, calls, steps, lossUsd, boundUsd, stakedUsd, attackerUsd } = result
  return {
    program,
    blockSeconds,
    pastBlocks,
    strict,
    since,
    past,
    block: world.block,
    timestamp: world.timestamp,
    steps,
    codes: calls.map(({ fate, verdict }) => verdict.code ?? fate),
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
  readonly since: Standing
  /** What happened from then until the program begins. */
  readonly past: readonly Step[]
  /** Where it begins. */
  readonly block: number
  readonly timestamp: number
  readonly steps: readonly Step[]
  /** How each call of the agent ended: the code of a refusal, or what became of what was signed. */
  readonly codes: readonly string[]
}

/** What stands at a moment, before anything happens in the pending block. */
export type Standing = {
  readonly block: number
  readonly timestamp: number
  readonly tokens: readonly StandingToken[]
  readonly pools: readonly StandingPool[]
  /** Prices that the server has seen in the day before. */
  readonly sightings: readonly StandingSighting[]
}

export type StandingToken = Pick<SimToken, 'symbol' | 'address' | 'decimals' | 'usdPegged' | 'own'> &
  Pick<TokenPlan, 'feed' | 'namedPools'> & {
    readonly usd: number
    /** When the program began; what the operator expects follows from it. */
    readonly startUsd: number
    /** Of the agent. */
    readonly balance: string
  }

export type StandingPool = Pick<SimPool, 'name' | 'fee'> & {
  /** Symbols. */
  readonly token0: string
  readonly token1: string
  /** All that it holds. */
  readonly amount0: string
  readonly amount1: string
} & ({ readonly version: 'v2' } | ({ readonly version: 'v3' | 'v4' } & StandingTicks))

type StandingTicks = {
  readonly tickSpacing: number
  readonly sqrtPriceX96: string
  /** Records of its oracle. */
  readonly cardinality: number
  readonly positions: readonly StandingPosition[]
}

export type StandingPosition = {
  readonly owner: string
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: string
}

export type StandingSighting = Pick<Sighting, 'subject' | 'atSeconds'> & {
  readonly values: Readonly<Record<string, string>>
}

function standing({ scenario, market, agent, pools, sightings, block, timestamp }: SimWorld): Standing {
  const ofAttacker = { token: ownToken, usd: 0, feed: null, namedPools: [] }
  const tokens = [...scenario.tokens, ofAttacker].map(({ token, feed, namedPools, usd: startUsd }): StandingToken => {
    const { symbol, address, decimals, usdPegged, own } = token
    const [usd, balance] = [priceOf(market, token), `${agent.balances.get(token) ?? 0n}`]
    return { symbol, address, decimals, usdPegged, own, feed, namedPools, startUsd, usd, balance }
  })
  // What was seen of pools counts sums of their own chain; a chain that does it again has others.
  const ofTokens = sightings.filter(({ subject }) => subject.startsWith('token '))
  return {
    block,
    timestamp,
    tokens,
    pools: [...pools.values()].map(poolAsData),
    sightings: ofTokens.map(({ subject, atSeconds, values }) => {
      const texts = Object.entries(values).map(([name, value]) => [name, `${value}`] as const)
      return { subject, atSeconds, values: Object.fromEntries(texts) }
    }),
  }
}

function poolAsData(pool: SimPool): StandingPool {
  const { name, fee, token0, token1 } = pool
  const held = heldBy(pool)
  const sides = { token0: token0.symbol, token1: token1.symbol, amount0: `${held.amount0}`, amount1: `${held.amount1}` }
  if (pool.version === 'v2') return { name, fee, ...sides, version: pool.version }
  const { sqrtPriceX96, tickSpacing, observationCardinalityNext: cardinality, positions } = pool.state
  const ranges = [...positions].map(([key, { liquidity }]): StandingPosition => {
    const [owner = '', tickLower, tickUpper] = key.split(':')
    return { owner, tickLower: Number(tickLower), tickUpper: Number(tickUpper), liquidity: `${liquidity}` }
  })
  const state = { tickSpacing, sqrtPriceX96: `${sqrtPriceX96}`, cardinality, positions: ranges }
  return { name, fee, ...sides, version: pool.version, ...state }
}
