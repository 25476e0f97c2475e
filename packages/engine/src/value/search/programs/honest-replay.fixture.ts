import { createRandom, type Random } from '@svc/lp-math'
import { type ErrorCode, errorTable } from '@svc/amm'
import { executeCall } from '../agent/agent-execute.fixture.ts'
import { type PlannedCall, planCall } from '../agent/agent-plan.fixture.ts'
import { chance, logUniform, pick, whole } from '../world/draws.fixture.ts'
import type { Guard, Verdict } from '../guards/guard.fixture.ts'
import { honestScenario } from './honest-scenario.fixture.ts'
import { priceOf } from '../world/outside-market.fixture.ts'
import type { AgentCall } from '../agent/agent-call.fixture.ts'
import { usdOf } from '../world/sim-token.fixture.ts'
import { closeBlock, wait, waitFar } from '../world/blocks.fixture.ts'
import { cloneWorld, type SimWorld } from '../world/sim-world.fixture.ts'
import { viewOf } from '../world/world-view.fixture.ts'
import { type Look, warmWorld } from '../world/warm-world.fixture.ts'

/**
 * Lets an honest wallet work on several kinds of chains through seeded days, with hours in which the market moves by 5 %, and moments at
 * which the server starts without a memory. Nobody attacks: whatever is refused is refused wrongly, or for the market's own sake.
 */
export function replayHonestly(options: HonestOptions): HonestReplay {
  const { seed, calls, days, kinds } = options
  const stopped: HonestRefusal[] = []
  let made = 0
  for (let kind = 0; kind < kinds; kind += 1) {
    const share = Math.floor(calls / kinds) + (kind < calls % kinds ? 1 : 0)
    made += replayKind({ ...options, seed: seed + kind, calls: share, days }, kind, stopped)
  }
  const asksPerson = ({ verdict }: HonestRefusal) => verdict.code === 'APPROVAL_REQUIRED'
  return { calls: made, refused: stopped.filter((one) => !asksPerson(one)), asked: stopped.filter(asksPerson) }
}

export type HonestOptions = {
  readonly seed: number
  readonly calls: number
  readonly days: number
  readonly kinds: number
  readonly createGuard: (world: SimWorld) => Guard
  readonly look: Look
}

export type HonestReplay = {
  readonly calls: number
  readonly refused: readonly HonestRefusal[]
  /** Those of which a person is to decide. */
  readonly asked: readonly HonestRefusal[]
}

export type HonestRefusal = {
  readonly kind: number
  readonly day: number
  readonly isWild: boolean
  readonly call: AgentCall
  readonly verdict: Verdict
}

/** Whether a refusal says enough for its caller to do better: a code that says what to do, and a sentence with figures or a reason. */
export function isHelpful({ code, message }: Verdict): boolean {
  if (code === null || message === null || !Object.hasOwn(errorTable, code)) return false
  const { suggestion } = errorTable[code as ErrorCode]
  return suggestion.length > 20 && message.length > 40 && message.endsWith('.')
}

function replayKind(options: HonestOptions, kind: number, stopped: HonestRefusal[]): number {
  const { seed, calls, days } = options
  const random = createRandom(seed, 5)
  const world = cloneWorld(warmWorld(seed, options.look, honestScenario(kind, seed)), seed)
  const guard = options.createGuard(world)
  const began = world.timestamp
  const gapSeconds = (days * 86_400) / calls
  for (let index = 0; index < calls; index += 1) {
    const isWild = index % wildEvery === wildEvery - 1
    if (index % coldEvery === coldEvery - 1) world.sightings.length = 0
    passTime(
      world,
      began + (index + random.uniform()) * gapSeconds,
      isWild ? wildDrift * (chance(random, 0.5) ? 1 : -1) : 0,
    )
    closeBlock(world)
    const { call, planned } = honestCall(random, world)
    const verdict = guard(viewOf(world), planned)
    const day = Math.floor((world.timestamp - began) / 86_400)
    if (verdict.allowed) executeCall(world, planned)
    else stopped.push({ kind, day, isWild, call, verdict })
  }
  return calls
}

/** Every so many calls: one within a wild hour, one of a server that remembers nothing. */
const wildEvery = 10
const coldEvery = 25
/** 5 % in an hour. */
const wildDrift = Math.log(1.05)

/** In strides, and the last three quarters of an hour block by block. */
function passTime(world: SimWorld, until: number, hourlyDrift: number): void {
  const calm = until - world.timestamp - nearSeconds
  if (calm > 0) waitFar(world, calm, strideSeconds)
  world.market.hourlyDrift = hourlyDrift
  wait(world, Math.max(0, until - world.timestamp))
  world.market.hourlyDrift = 0
}

const nearSeconds = 2_700
const strideSeconds = 300

type HonestCall = { readonly call: AgentCall; readonly planned: PlannedCall }

/** The first call drawn that the wallet can make and that takes about what its caller had in mind. */
function honestCall(random: Random, world: SimWorld): HonestCall {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const call = anyHonestCall(random, world)
    const planned = planCall(world, call)
    if (planned !== null && isAsMeant(world, call, planned)) return { call, planned }
  }
  throw new Error('The honest wallet can do nothing any more.')
}

/** Next to the end of a range, a little of one token asks for very much of the other. */
function isAsMeant({ market }: SimWorld, { usd }: AgentCall, planned: PlannedCall): boolean {
  if (planned.tool === 'swap' || planned.tool === 'remove') return true
  const { kind, quoted } = planned
  const paidUsd =
    usdOf(kind.token0, quoted.amount0, priceOf(market, kind.token0)) +
    usdOf(kind.token1, quoted.amount1, priceOf(market, kind.token1))
  return paidUsd < 3 * usd
}

function anyHonestCall(random: Random, world: SimWorld): AgentCall {
  const usd = logUniform(random, 50, 3_000)
  const position = whole(random, 0, Math.max(0, world.agent.positions.length - 1))
  const kind = world.agent.positions.length === 0 ? pick(random, ['swap', 'add'] as const) : pick(random, callKinds)
  const width = logUniform(random, 1.05, 2)
  const draws: Readonly<Record<(typeof callKinds)[number], () => AgentCall>> = {
    swap: () => honestTrade(random, usd),
    add: () => ({ tool: 'add', pool: pick(random, depositPools), usd, slippageBps, below: 1 / width, above: width }),
    increase: () => ({ tool: 'increase', position, usd: usd / 2, slippageBps }),
    remove: () => ({ tool: 'remove', position, part: chance(random, 0.5) ? 1 : 0.3, usd, slippageBps }),
  }
  return draws[kind]()
}

/** Less of the token that pools alone price: a day's sum of it stays below a tenth of their depth. */
function honestTrade(random: Random, usd: number): AgentCall {
  const [sell, buy] = chance(random, 0.9) ? pick(random, majors) : pick(random, minors)
  const isMinor = sell === 'TKN' || buy === 'TKN'
  return { tool: 'swap', sell, buy, pool: null, usd: isMinor ? usd / 5 : usd, slippageBps }
}

const slippageBps = 50

const callKinds = ['swap', 'swap', 'swap', 'swap', 'add', 'add', 'increase', 'remove', 'remove'] as const

const majors = [
  ['USDC', 'WETH'],
  ['WETH', 'USDC'],
  ['USDC', 'WBTC'],
  ['WBTC', 'USDC'],
  ['WETH', 'WBTC'],
  ['WBTC', 'WETH'],
] as const

const minors = [
  ['TKN', 'WETH'],
  ['USDC', 'TKN'],
  ['TKN', 'USDC'],
] as const

const depositPools = ['usdc-weth-v3-500', 'usdc-weth-v4-500', 'weth-wbtc-v3-3000', 'usdc-wbtc-v3-500'] as const
