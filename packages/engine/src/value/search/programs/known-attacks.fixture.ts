import type { AgentCall } from '../agent/agent-call.fixture.ts'
import { createScenario, type PoolPlan, type Scenario } from '../world/scenario.fixture.ts'
import type { Action, Program } from './program.fixture.ts'

/**
 * What is known to have worked somewhere, on the pools that a scenario's prices rest on: a push for the moment, a sandwich, a push out
 * for one block or in every other block so that means hold it, an oracle made to forget, strangers' pools beside the named ones, a deposit
 * into what was pushed, a pool opened before the agent opens it.
 */
export function knownAttacks(scenario: number): readonly Program[] {
  const plan = createScenario(scenario)
  const pools = plan.tokens.flatMap(({ token, namedPools }) =>
    plan.pools.flatMap((pool) => (namedPools.includes(pool.name) ? [{ pool, symbol: token.symbol }] : [])),
  )
  const programs = pools.flatMap((target) =>
    attacksOnMoment(target).concat(attacksOnMean(target, plan), strangers(target)),
  )
  return programs.map((actions, index) => {
    const own = -1 - scenario * 1_000 - index
    return { scenario, seed: scenario, lineage: own, actions }
  })
}

/** A pool that the price of a token rests on. */
type Target = { readonly pool: PoolPlan; readonly symbol: string }

type Actions = readonly Action[]

function attacksOnMoment(target: Target): readonly Actions[] {
  return directions.flatMap((isDearer) => {
    const push = pushOf(target, isDearer, 1.03)
    const [small, large] = [tradeOf(target, isDearer, 2_000), tradeOf(target, isDearer, 60_000)]
    return [
      [push, { do: 'decide', call: large }, { do: 'execute' }, backOf(target)],
      [push, { do: 'decide', call: depositOf(target) }, { do: 'execute' }, backOf(target)],
      [{ do: 'decide', call: large }, pushOf(target, isDearer, 1.004), { do: 'execute' }, backOf(target)],
      [{ do: 'decide', call: depositOf(target) }, pushOf(target, isDearer, 1.004), { do: 'execute' }, backOf(target)],
      [{ do: 'flush', pool: target.pool.name, blocks: 130 }, push, { do: 'decide', call: small }, { do: 'execute' }],
    ]
  })
}

/** Out in the earlier and in the later part of the half hour, or in every other block of it; the call at the price that this makes. */
function attacksOnMean(target: Target, { blockSeconds }: Scenario): readonly Actions[] {
  const { name: pool } = target.pool
  const times = Math.min(100, Math.ceil(1_900 / (2 * blockSeconds)))
  return directions.flatMap((isDearer) => {
    const used = (at: number): Actions => [
      pushOf(target, isDearer, at),
      { do: 'decide', call: tradeOf(target, isDearer, 2_000) },
      { do: 'execute' },
      backOf(target),
    ]
    const spiked = [1.5, 4, 1e4].map((factor): Actions => {
      const spike = spikeOf(target, isDearer, factor)
      return spike.concat({ do: 'wait', seconds: 650 }, spike, used(1.03))
    })
    const pulsed = [1.1, 1.2].map((factor): Actions => {
      const pulses: readonly Action[] = [{ do: 'pulse', pool, factor: towards(target, isDearer, factor), times }]
      return pulses.concat(used(Math.sqrt(factor)))
    })
    return [...spiked, ...pulsed]
  })
}

/** Out for one block, and back before anybody else. */
function spikeOf(target: Target, isDearer: boolean, factor: number): readonly Action[] {
  const step: Action = { do: 'wait', seconds: 1 }
  return [pushOf(target, isDearer, factor), step, backOf(target), step]
}

/** Money parked on one side of a stranger's pool for half an hour, and the agent on its best route. */
function strangers(target: Target): readonly Actions[] {
  const { token0, token1, version, fee } = target.pool
  const kind = {
    version: version === 'v2' ? 'v3' : version,
    tokens: [token0.symbol, token1.symbol],
    fee: fee === 500 ? 3000 : 500,
  } as const
  return directions.flatMap((isDearer) => {
    const factor = towards(target, isDearer, 1_000)
    const side = factor > 1 ? { below: 1.0001, above: 2 } : { below: 0.5, above: 0.9999 }
    const create: Action = { do: 'create', ...kind, factor, usd: 0 }
    const call: AgentCall = { ...kind, tool: 'open', usd: 20_000, slippageBps: 50, below: 0.8, above: 1.25 }
    return [
      [
        create,
        { do: 'add', pool: 'own-0', usd: 30_000, ...side },
        { do: 'wait', seconds: 1_800 },
        { do: 'flush', pool: target.pool.name, blocks: 130 },
        { do: 'decide', call: { ...tradeOf(target, !isDearer, 60_000), pool: null } },
        { do: 'execute' },
      ],
      [
        { do: 'decide', call },
        { ...create, factor: towards(target, isDearer, 1.02) },
        { do: 'execute' },
        { do: 'push', pool: 'own-0', factor: 1 },
      ],
    ]
  })
}

const directions = [true, false] as const

/** The multiple of the pool's price at which the token is so many times dearer, or cheaper. */
function towards({ pool, symbol }: Target, isDearer: boolean, factor: number): number {
  return (pool.token0.symbol === symbol) === isDearer ? factor : 1 / factor
}

function pushOf(target: Target, isDearer: boolean, factor: number): Action {
  return { do: 'push', pool: target.pool.name, factor: towards(target, isDearer, factor) }
}

function backOf({ pool }: Target): Action {
  return { do: 'push', pool: pool.name, factor: 1 }
}

/** What is bought is dear there, what is sold is cheap. */
function tradeOf({ pool, symbol }: Target, isDearer: boolean, usd: number) {
  const other = pool.token0.symbol === symbol ? pool.token1.symbol : pool.token0.symbol
  const pair = isDearer ? { sell: other, buy: symbol } : { sell: symbol, buy: other }
  return { tool: 'swap', ...pair, pool: pool.name, usd, slippageBps: 50 } as const
}

function depositOf({ pool }: Target): AgentCall {
  return { tool: 'add', pool: pool.name, usd: 20_000, slippageBps: 50, below: 0.8, above: 1.25 }
}
