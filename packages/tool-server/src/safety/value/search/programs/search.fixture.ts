import type { Guard, Verdict } from '../guards/guard.fixture.ts'
import { mutateProgram } from './mutate-program.fixture.ts'
import type { Program } from './program.fixture.ts'
import { randomProgram } from './random-program.fixture.ts'
import { type CallResult, type ProgramResult, runProgram } from './run-program.fixture.ts'
import type { SimWorld } from '../world/sim-world.fixture.ts'
import { type Look, warmWorld } from '../world/warm-world.fixture.ts'

/**
 * Runs attacker programs against a guard, and then what becomes of the worst of them when they are changed a little: those that cost the
 * owner most, in proportion to what the rules allow and beyond it, and those that earn the attacker most.
 */
export function search(options: SearchOptions): SearchResult {
  const { seed, programs, climbs, scenarios, createGuard, onResult } = options
  const worlds = new Map<number, SimWorld>()
  const ranks = { multiple: rankBy(multipleOfProgram), excess: rankBy(excessOf), profit: rankBy(earnedOfOwner) }
  const inTurn = [ranks.multiple, ranks.excess, ranks.profit, ranks.multiple]
  const tally = { programs: 0, calls: 0, refused: 0, mined: 0, worstLossUsd: 0, momentMultiple: 0 }

  const run = (program: Program) => {
    const world = worlds.get(program.scenario) ?? warmWorld(program.scenario, options.look)
    worlds.set(program.scenario, world)
    const result = runProgram(world, program, createGuard)
    count(tally, result)
    for (const rank of Object.values(ranks)) rank.take(result)
    onResult?.(result)
  }

  for (let index = 0; index < programs; index += 1) run(randomProgram(seed + index, scenarios))
  for (let index = 0; index < climbs; index += 1) {
    const ranked = inTurn.map((rank) => rank.best()).filter((best) => best.length > 0)
    const best = ranked[index % ranked.length] ?? []
    const parent = best[Math.floor(index / inTurn.length) % Math.min(best.length, parents)]
    if (parent !== undefined) run(mutateProgram(parent.program, seed + programs + index))
  }
  return { ...tally, worst: ranks.multiple.best(), dearest: ranks.profit.best() }
}

export type SearchOptions = {
  readonly seed: number
  readonly programs: number
  /** Changed programs after that. */
  readonly climbs: number
  readonly scenarios: number
  readonly createGuard: (world: SimWorld) => Guard
  /** How the server has looked at prices before the attack. */
  readonly look: Look
  readonly onResult?: (result: ProgramResult) => void
}

export type SearchResult = {
  readonly programs: number
  readonly calls: number
  readonly refused: number
  readonly mined: number
  /** The most that a program cost the owner beyond what was staked. */
  readonly worstLossUsd: number
  /** As `multipleOfCall`, at the price outside of the very moment, which a mean follows at some distance. */
  readonly momentMultiple: number
  /** Those that lost most in proportion to what a call may lose, at most fifty. */
  readonly worst: readonly ProgramResult[]
  /** Those that earned the attacker most, at most fifty. */
  readonly dearest: readonly ProgramResult[]
}

/** What was lost beyond the bounds, in dollars; where nothing was, how near it came. */
function excessOf({ lossUsd, boundUsd, stakedUsd }: ProgramResult): number {
  const excessUsd = lossUsd - stakedUsd - boundUsd
  return excessUsd > 0 ? excessUsd : Math.max(0, lossUsd - stakedUsd) / (1 + boundUsd)
}

/** What the attacker won at the owner's expense, beyond what was staked. */
export function earnedOfOwner({ attackerUsd, lossUsd, stakedUsd }: ProgramResult): number {
  return Math.min(attackerUsd, lossUsd) - stakedUsd
}

/** The most that one call of a program lost beyond its stake, in proportion to what it may lose. */
export function multipleOfProgram({ calls }: Pick<ProgramResult, 'calls'>): number {
  return calls.reduce((most, call) => Math.max(most, multipleOfCall(call)), 0)
}

/** What a call lost beyond its stake, in proportion to what it may lose. */
function multipleOfCall({ leastLossUsd, verdict }: CallResult): number {
  return multipleOf(leastLossUsd, verdict)
}

function multipleOf(lossUsd: number, { stakedUsd, lossBoundUsd }: Verdict): number {
  return Math.max(0, lossUsd - stakedUsd) / (lossBoundUsd + leastBoundUsd)
}

/** So that cents over next to nothing are no finding. */
const leastBoundUsd = 1

/** How many of the best are changed in turn, and how many are kept. */
const parents = 20
const keptPrograms = 50

/** The best of each lineage, best first. */
function rankBy(scoreOf: (result: ProgramResult) => number) {
  let best: readonly ProgramResult[] = []
  return {
    best: () => best,
    take(result: ProgramResult): void {
      const score = scoreOf(result)
      const { lineage } = result.program
      const rival = best.find(({ program }) => program.lineage === lineage)
      if (score <= 0 || (rival !== undefined && scoreOf(rival) >= score)) return
      const others = best.filter((one) => one !== rival)
      best = [...others, result].toSorted((one, other) => scoreOf(other) - scoreOf(one)).slice(0, keptPrograms)
    },
  }
}

type Tally = {
  -readonly [Name in 'programs' | 'calls' | 'refused' | 'mined' | 'worstLossUsd' | 'momentMultiple']: number
}

function count(tally: Tally, { calls, lossUsd, stakedUsd }: ProgramResult): void {
  tally.programs += 1
  tally.calls += calls.length
  tally.refused += calls.filter(({ fate }) => fate === 'refused').length
  tally.mined += calls.filter(({ fate }) => fate === 'mined').length
  for (const { lossUsd: atMoment, verdict } of calls) {
    tally.momentMultiple = Math.max(tally.momentMultiple, multipleOf(atMoment, verdict))
  }
  tally.worstLossUsd = Math.max(tally.worstLossUsd, lossUsd - stakedUsd)
}
