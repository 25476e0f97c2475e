import type { Guard } from '../guards/guard.fixture.ts'
import { mutateProgram } from './mutate-program.fixture.ts'
import type { Program } from './program.fixture.ts'
import { knownAttacks } from './known-attacks.fixture.ts'
import { randomProgram } from './random-program.fixture.ts'
import { type ProgramResult, runProgram } from './run-program.fixture.ts'
import { beyondPerDollar, beyondUsd, earnedOfOwner, multipleOf, multipleOfProgram } from './score-program.fixture.ts'
import type { SimWorld } from '../world/sim-world.fixture.ts'
import { type Look, warmWorld } from '../world/warm-world.fixture.ts'

/**
 * Runs attacker programs against a guard, known attacks and random ones, and then what becomes of the worst of them when they are changed
 * a little: those that cost the owner most beyond what the rules allow, in proportion and in dollars, those that do so cheaply, and those
 * that earn the attacker most.
 */
export function search(options: SearchOptions): SearchResult {
  const { seed, known = 0, programs, climbs, scenarios, createGuard, onResult } = options
  const worlds = new Map<number, SimWorld>()
  const ranks = {
    multiple: rankBy(multipleOfProgram),
    cheap: rankBy(beyondPerDollar),
    profit: rankBy(earnedOfOwner),
    most: rankBy(beyondUsd),
  }
  const inTurn = Object.values(ranks)
  const tally = { programs: 0, calls: 0, refused: 0, mined: 0, worstLossUsd: 0, momentMultiple: 0 }

  const run = (program: Program) => {
    const world = worlds.get(program.scenario) ?? warmWorld(program.scenario, options.look)
    worlds.set(program.scenario, world)
    const result = runProgram(world, program, createGuard)
    count(tally, result)
    for (const rank of inTurn) rank.take(result)
    onResult?.(result)
  }

  for (let scenario = 0; scenario < known; scenario += 1) for (const program of knownAttacks(scenario)) run(program)
  for (let index = 0; index < programs; index += 1) run(randomProgram(seed + index, scenarios))
  for (let index = 0; index < climbs; index += 1) {
    const ranked = inTurn.map((rank) => rank.best()).filter((best) => best.length > 0)
    const best = ranked[index % ranked.length] ?? []
    const parent = best[Math.floor(index / inTurn.length) % Math.min(best.length, parents)]
    if (parent !== undefined) run(mutateProgram(parent.program, seed + programs + index))
  }
  return { ...tally, worst: ranks.multiple.best(), cheapest: ranks.cheap.best(), dearest: ranks.profit.best() }
}

export type SearchOptions = {
  readonly seed: number
  /** Of so many scenarios the known attacks, before the random ones; none when absent. */
  readonly known?: number
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
  /** As `multipleOfProgram`, at the price outside of the very moment, which a mean follows at some distance. */
  readonly momentMultiple: number
  /** Those that lost most in proportion to what a call may lose, at most fifty. */
  readonly worst: readonly ProgramResult[]
  /** Those that lost beyond what calls may lose, by what that cost the attacker, at most fifty. */
  readonly cheapest: readonly ProgramResult[]
  /** Those that earned the attacker most, at most fifty. */
  readonly dearest: readonly ProgramResult[]
}

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
