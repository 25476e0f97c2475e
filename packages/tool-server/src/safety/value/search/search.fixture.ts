import { buildWorld } from './build-world.fixture.ts'
import type { Guard } from './guard.fixture.ts'
import { mutateProgram } from './mutate-program.fixture.ts'
import type { Program } from './program.fixture.ts'
import { randomProgram } from './random-program.fixture.ts'
import { type ProgramResult, runProgram } from './run-program.fixture.ts'
import { createScenario } from './scenario.fixture.ts'
import { type SimWorld, waitFar, wait } from './sim-world.fixture.ts'

/** Runs attacker programs against a guard, and then what becomes of the worst of them when they are changed a little. */
export function search(options: SearchOptions): SearchResult {
  const { seed, programs, climbs, scenarios, createGuard } = options
  const worlds = new Map<number, SimWorld>()
  const run = (program: Program): ProgramResult => {
    const world = worlds.get(program.scenario) ?? warmWorld(program.scenario)
    worlds.set(program.scenario, world)
    return runProgram(world, program, createGuard)
  }
  const tally = { programs: 0, calls: 0, refused: 0, mined: 0 }
  const count = (result: ProgramResult): ProgramResult => {
    tally.programs += 1
    tally.calls += result.calls.length
    for (const { fate } of result.calls) {
      if (fate === 'refused') tally.refused += 1
      else if (fate === 'mined') tally.mined += 1
    }
    return result
  }
  let worst: readonly ProgramResult[] = []
  for (let index = 0; index < programs; index += 1) {
    const result = count(run(randomProgram(seed + index, scenarios)))
    worst = keepWorst(worst, result)
    options.onProgress?.(index + 1, worst)
  }
  for (let index = 0; index < climbs; index += 1) {
    const parent = worst[index % Math.min(worst.length, parents)]
    if (parent === undefined) break
    worst = keepWorst(worst, count(run(mutateProgram(parent.program, seed + programs + index))))
  }
  return { ...tally, worst }
}

export type SearchOptions = {
  readonly seed: number
  readonly programs: number
  /** Mutations of the worst programs after that. */
  readonly climbs: number
  readonly scenarios: number
  readonly createGuard: (world: SimWorld) => Guard
  readonly onProgress?: (done: number, worst: readonly ProgramResult[]) => void
}

export type SearchResult = {
  readonly programs: number
  readonly calls: number
  readonly refused: number
  readonly mined: number
  /** Worst first. */
  readonly worst: readonly ProgramResult[]
}

/** How many of the worst are changed in turn. */
const parents = 20
const keptWorst = 50

/** One of each lineage, by what is lost in proportion to what may be. */
function keepWorst(worst: readonly ProgramResult[], result: ProgramResult): readonly ProgramResult[] {
  if (result.lossUsd <= 0) return worst
  const { lineage } = result.program
  const rival = worst.find(({ program }) => program.lineage === lineage)
  if (rival !== undefined && scoreOf(rival) >= scoreOf(result)) return worst
  const others = worst.filter((one) => one !== rival)
  return [...others, result].toSorted((one, other) => scoreOf(other) - scoreOf(one)).slice(0, keptWorst)
}

export function scoreOf({ lossUsd, boundUsd }: Pick<ProgramResult, 'lossUsd' | 'boundUsd'>): number {
  return lossUsd / (boundUsd + leastBoundUsd)
}

/** So that cents over next to nothing are no finding. */
const leastBoundUsd = 5

function warmWorld(seed: number): SimWorld {
  const world = buildWorld(createScenario(seed))
  waitFar(world, 2 * 3600, 60)
  wait(world, 1800)
  return world
}
