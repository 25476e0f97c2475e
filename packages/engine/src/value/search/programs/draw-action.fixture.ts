import type { Random } from '@svc/lp-math'
import { chance, logUniform, pick, whole } from '../world/draws.fixture.ts'
import type { AgentCall } from '../agent/agent-call.fixture.ts'
import type { PriceMultiples } from '../world/deposits.fixture.ts'
import type { PoolKind } from '../world/open-pool.fixture.ts'
import type { Action } from './program.fixture.ts'

export type Draw = {
  readonly random: Random
  /** Pools of the market. */
  readonly names: readonly string[]
  /** The pool that most of a program is about; `null` for any. */
  readonly focus: string | null
}

/** One action, drawn without regard to those before. */
export function anyAction(draw: Draw): Action {
  const { random } = draw
  const usd = logUniform(random, 10, 1e6)
  const pool = anyPool(draw)
  const draws: Readonly<Record<Action['do'], () => Action>> = {
    swap: () => ({ do: 'swap', pool, zeroForOne: chance(random, 0.5), usd }),
    push: () => pushOf(draw),
    create: () => ({ do: 'create', ...anyKind(random), factor: anyFactor(random), usd }),
    add: () => ({ do: 'add', pool, usd, ...anyRange(random) }),
    remove: () => ({ do: 'remove', position: whole(random, 0, 3), part: chance(random, 0.7) ? 1 : random.uniform() }),
    donate: () => ({ do: 'donate', pool, usd, of0: chance(random, 0.5) }),
    flush: () => ({ do: 'flush', pool, blocks: Math.round(logUniform(random, 1, 150)) }),
    hold: () => ({ do: 'hold', pool, factor: anyFactor(random), blocks: Math.round(logUniform(random, 1, 60)) }),
    pulse: () => ({ do: 'pulse', pool, factor: anyFactor(random), times: Math.round(logUniform(random, 1, 60)) }),
    wait: () => ({ do: 'wait', seconds: Math.round(logUniform(random, 1, 5400)) }),
    decide: () => ({ do: 'decide', call: anyCall(draw) }),
    execute: () => ({ do: 'execute' }),
  }
  return draws[pick(random, kinds)]()
}

/** As often as they stand here. */
const kinds = [
  ...(['swap', 'push', 'push', 'add', 'add', 'wait'] as const),
  ...(['swap', 'push', 'create', 'create', 'add', 'wait'] as const),
  ...(['remove', 'donate', 'flush', 'hold', 'pulse', 'decide', 'execute'] as const),
]

export function pushOf(draw: Draw): Action {
  return { do: 'push', pool: anyPool(draw), factor: anyFactor(draw.random) }
}

/** Mostly the one that the program is about, else any, the attacker's own among them. */
export function anyPool({ random, names, focus }: Draw): string {
  if (focus !== null && chance(random, 0.6)) return focus
  return pick(random, [...names, 'own-0', 'own-0', 'own-1'])
}

/** Mostly near 1, where bounds are; now and then far off. */
export function anyFactor(random: Random): number {
  const most = pick(random, [1.005, 1.02, 1.05, 1.3, 3, 1000, 1e9])
  const factor = logUniform(random, 1, most)
  return chance(random, 0.5) ? factor : 1 / factor
}

export function anyRange(random: Random): PriceMultiples {
  const width = logUniform(random, 1.0005, 4)
  const draws = {
    full: () => ({ below: 0, above: 0 }),
    around: () => ({ below: 1 / width, above: width }),
    below: () => ({ below: 1 / width, above: 0.9999 }),
    above: () => ({ below: 1.0001, above: width }),
  }
  return draws[pick(random, ['full', 'around', 'below', 'above', 'below', 'above'] as const)]()
}

export function anyKind(random: Random): PoolKind {
  const version = pick(random, ['v2', 'v3', 'v3', 'v4'] as const)
  const fee = pick(random, [100, 500, 3000, 3000, 10_000])
  const [first, second] = pick(random, pairs)
  return { version, tokens: [first, second], fee }
}

const pairs = [
  ['TKN', 'USDC'],
  ['TKN', 'WETH'],
  ['WETH', 'USDC'],
  ['WBTC', 'USDC'],
  ['WBTC', 'WETH'],
  ['OWN', 'USDC'],
  ['OWN', 'WETH'],
] as const

/** A call that an agent might make, by its caller's honest reckoning. */
export function anyCall(draw: Draw): AgentCall {
  const { random } = draw
  const usd = logUniform(random, 500, 1e5)
  const slippageBps = pick(random, [50, 50, 50, 100, 500])
  const common = { usd, slippageBps }
  const draws: Readonly<Record<AgentCall['tool'], () => AgentCall>> = {
    swap: () => ({ ...common, tool: 'swap', ...anyTrade(draw), pool: chance(random, 0.5) ? null : anyPool(draw) }),
    add: () => ({ ...common, tool: 'add', pool: anyPool(draw), ...anyRange(random) }),
    open: () => ({ ...common, tool: 'open', ...anyKind(random), ...anyRange(random) }),
    increase: () => ({ ...common, tool: 'increase', position: whole(random, 0, 3) }),
    remove: () => ({
      ...common,
      tool: 'remove',
      position: whole(random, 0, 3),
      part: chance(random, 0.6) ? 1 : random.uniform(),
    }),
  }
  return draws[pick(random, ['swap', 'swap', 'swap', 'add', 'add', 'open', 'increase', 'remove'] as const)]()
}

/** A call that a pool of the market harms when its price is up, or down: a trade that sells what is cheap there, or a deposit. */
export function aimedCall(draw: Draw, pool: string, isUp: boolean): AgentCall {
  const { random } = draw
  const [token0, token1] = pool.toUpperCase().split('-')
  const common = { usd: logUniform(random, 500, 1e5), slippageBps: 50 }
  if (token0 === undefined || token1 === undefined || pool.startsWith('own') || chance(random, 0.3)) {
    return { ...common, tool: 'add', pool, ...anyRange(random) }
  }
  const [sell, buy] = isUp ? [token1, token0] : [token0, token1]
  return { ...common, tool: 'swap', sell, buy, pool: chance(random, 0.7) ? pool : null }
}

/** Mostly of the tokens of the pool that the program is about. */
function anyTrade({ random, focus }: Draw): { readonly sell: string; readonly buy: string } {
  const named = focus?.toUpperCase().split('-') ?? []
  const own = pairs.filter((pair) => pair.every((symbol) => named.includes(symbol)))
  const [one, other] = pick(random, own.length > 0 && chance(random, 0.7) ? own : pairs)
  return chance(random, 0.5) || one === 'OWN' ? { sell: other, buy: one } : { sell: one, buy: other }
}
