import { LpMathError } from '@svc/lp-math'
import { executeCall } from '../agent/agent-execute.fixture.ts'
import { type PlannedCall, type PlannedDeposit, planCall } from '../agent/agent-plan.fixture.ts'
import { arbitrage } from '../world/arbitrage.fixture.ts'
import {
  attackerAdds,
  attackerCreates,
  attackerDonates,
  attackerPushes,
  attackerRemoves,
  attackerStirs,
  attackerSwaps,
} from './attacks.fixture.ts'
import type { Guard, Verdict } from '../guards/guard.fixture.ts'
import type { AgentCall } from '../agent/agent-call.fixture.ts'
import type { Ticks } from '../world/deposits.fixture.ts'
import type { Action, Program } from './program.fixture.ts'
import { worthOf } from '../world/sim-account.fixture.ts'
import { type Prices, quotedMarket } from '../world/outside-market.fixture.ts'
import { closeBlock, wait } from '../world/blocks.fixture.ts'
import { cloneWorld, note, type SimWorld, type Step } from '../world/sim-world.fixture.ts'
import { viewOf } from '../world/world-view.fixture.ts'

/** What a program came to. */
export type ProgramResult = {
  readonly program: Program
  readonly calls: readonly CallResult[]
  /** What the owner lost by all calls together, at the prices outside. */
  readonly lossUsd: number
  /** What the rules let those that were mined lose. */
  readonly boundUsd: number
  /** What was staked with them out of budgets of its own. */
  readonly stakedUsd: number
  /** What the attacker won by what he did himself and by the agent's calls, at the prices outside of the moment. */
  readonly attackerUsd: number
  readonly steps: readonly Step[]
}

export type CallResult = {
  readonly call: AgentCall
  readonly verdict: Verdict
  /** Of what was signed: whether it was mined, or reverted by its own bounds, or came too late. */
  readonly fate: 'refused' | 'mined' | 'reverted' | 'late'
  readonly lossUsd: number
  /**
   * The least that it lost at any price that the market had in the last two hours: a mean may be as old, and who follows the market at
   * some distance sets no price.
   */
  readonly leastLossUsd: number
}

/** Carries a program out in a copy of a world. */
export function runProgram(
  start: SimWorld,
  program: Program,
  createGuard: (world: SimWorld) => Guard,
  keepsSteps = false,
): ProgramResult {
  const world = cloneWorld(start, program.seed)
  if (keepsSteps) world.steps = []
  for (const feed of world.market.feeds.values()) feed.stopped = feed.plan.stops
  const run: Run = { world, guard: createGuard(world), calls: [], signed: null, attackerUsd: 0 }
  for (const action of program.actions) perform(run, action)
  mineSigned(run)
  const sum = (of: (call: CallResult) => number) => run.calls.reduce((total, call) => total + of(call), 0)
  return {
    program,
    calls: run.calls,
    lossUsd: sum(({ lossUsd }) => lossUsd),
    boundUsd: sum(({ verdict, fate }) => (fate === 'mined' ? verdict.lossBoundUsd : 0)),
    stakedUsd: sum(({ verdict, fate }) => (fate === 'mined' ? verdict.stakedUsd : 0)),
    attackerUsd: run.attackerUsd,
    steps: world.steps ?? [],
  }
}

type Run = {
  readonly world: SimWorld
  readonly guard: Guard
  readonly calls: CallResult[]
  /** What has been signed and not mined. */
  signed: Signed | null
  attackerUsd: number
}

type Signed = {
  readonly call: AgentCall
  readonly planned: PlannedCall
  readonly verdict: Verdict
  readonly deadline: number
  /** What tokens were worth outside when the guard decided. */
  readonly prices: Prices
}

function perform(run: Run, action: Action): void {
  const { world } = run
  switch (action.do) {
    case 'swap':
      return attack(run, () => attackerSwaps(world, action))
    case 'push':
      return attack(run, () => attackerPushes(world, action))
    case 'create':
      return attack(run, () => attackerCreates(world, action))
    case 'add':
      return attack(run, () => attackerAdds(world, action))
    case 'remove':
      return attack(run, () => attackerRemoves(world, action))
    case 'donate':
      return attack(run, () => attackerDonates(world, action))
    case 'flush':
      return blockByBlock(run, action.blocks, () => attackerStirs(world, action.pool))
    case 'hold':
      return blockByBlock(run, action.blocks, () => attackerPushes(world, action))
    case 'pulse':
      return pulse(run, action)
    case 'wait':
      return wait(world, action.seconds)
    case 'decide':
      return decide(run, action.call)
    case 'execute':
      return mineSigned(run)
  }
}

/** Counts what the attacker wins. What cannot be done is not done: a pool takes no such amount, a range no such liquidity. */
function attack(run: Run, act: () => unknown): void {
  const { attacker, pools, market } = run.world
  const before = worthOf(attacker, pools, market)
  try {
    act()
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
  }
  run.attackerUsd += worthOf(attacker, pools, market) - before
}

function blockByBlock(run: Run, blocks: number, act: () => void): void {
  for (let block = 0; block < blocks; block += 1) {
    arbitrage(run.world, 'act')
    attack(run, act)
    closeBlock(run.world, { hasArbitraged: true })
  }
}

/** What stands for one block alone nobody else has traded back. */
function pulse(run: Run, { pool, factor, times }: Extract<Action, { do: 'pulse' }>): void {
  for (let time = 0; time < times; time += 1) {
    attack(run, () => attackerPushes(run.world, { pool, factor }))
    closeBlock(run.world)
    attack(run, () => attackerPushes(run.world, { pool, factor: 1 }))
    closeBlock(run.world)
  }
}

/** The agent reads the chain once the pending block is mined; what it signs waits to be mined. */
function decide(run: Run, call: AgentCall): void {
  const { world } = run
  mineSigned(run)
  closeBlock(world)
  const planned = attempt(() => planCall(world, call))
  if (planned === null) return
  const verdict = run.guard(viewOf(world), planned)
  if (world.steps !== null) noteDecision(world, call, planned, verdict)
  if (verdict.allowed)
    run.signed = {
      call,
      planned,
      verdict,
      deadline: world.timestamp + deadlineSeconds,
      prices: new Map(world.market.prices),
    }
  else run.calls.push({ call, verdict, fate: 'refused', ...nothingLost })
}

/** Under the names that the server's tools have for it. */
function noteDecision(world: SimWorld, call: AgentCall, planned: PlannedCall, verdict: Verdict): void {
  const route = planned.tool === 'swap' ? planned.hops.map(({ pool }) => pool).join(' ') : planned.pool
  const amounts =
    planned.tool === 'swap'
      ? {
          tokenIn: planned.tokenIn.symbol,
          tokenOut: planned.tokenOut.symbol,
          amountIn: `${planned.amountIn}`,
          minOut: `${planned.minOut}`,
        }
      : planned.tool === 'remove'
        ? { liquidity: `${planned.liquidity}`, ...ticksOf(planned.position.range) }
        : depositAmounts(planned)
  const what = `decide ${call.tool}: ${verdict.allowed ? 'allowed' : verdict.code}`
  const market = quotedMarket(world.market)
  note(world, () => ({
    who: 'agent',
    what,
    pool: route,
    amounts: { slippageBps: call.slippageBps, ...amounts },
    market,
  }))
}

function depositAmounts({ kind, named, quoted, ticks }: PlannedDeposit): Step['amounts'] {
  const { version, token0, token1, fee } = kind
  const pool = { version, token0: token0.symbol, token1: token1.symbol, fee }
  const { amount0, amount1 } = named ?? quoted
  return { ...pool, amount0: `${amount0}`, amount1: `${amount1}`, ...ticksOf(ticks) }
}

function ticksOf(ticks: Ticks | null): Step['amounts'] {
  return ticks === null ? {} : { tickLower: ticks.tickLower, tickUpper: ticks.tickUpper }
}

/** As the policy has it. */
const deadlineSeconds = 600

function mineSigned(run: Run): void {
  const { world, signed } = run
  if (signed === null) return
  run.signed = null
  const { call, planned, verdict, deadline, prices } = signed
  note(world, () => ({ who: 'agent', what: 'execute', pool: '', amounts: {}, market: quotedMarket(world.market) }))
  if (world.timestamp > deadline) return void run.calls.push({ call, verdict, fate: 'late', ...nothingLost })
  const moments = [{ prices }, world.market, ...world.market.trail]
  const worths = () => moments.map((moment) => worthOf(world.agent, world.pools, moment))
  const before = worths()
  let isMined = false
  attack(run, () => (isMined = executeCall(world, planned)))
  const losses = worths().map((worth, index) => (before[index] ?? 0) - worth)
  // A market that moves while a transaction waits takes nothing from anybody: what counts is lost at the prices of both moments.
  const lossUsd = Math.min(...losses.slice(0, 2))
  run.calls.push({ call, verdict, fate: isMined ? 'mined' : 'reverted', lossUsd, leastLossUsd: Math.min(...losses) })
}

const nothingLost = { lossUsd: 0, leastLossUsd: 0 }

function attempt<Value>(act: () => Value): Value | null {
  try {
    return act()
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}
