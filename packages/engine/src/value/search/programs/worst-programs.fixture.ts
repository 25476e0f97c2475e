import { type Replayable, recordedStart, replayableOf } from './replayable.fixture.ts'
import { runProgram } from './run-program.fixture.ts'
import { multipleOfProgram } from './score-program.fixture.ts'
import { search, type SearchOptions } from './search.fixture.ts'
import { shrinkProgram } from './shrink-program.fixture.ts'

/**
 * The programs of a search that lost most of what a call may lose, without the actions that do nothing for it, as data that a real chain
 * can do again.
 *
 * @param most how many; a search keeps fifty
 */
export function worstPrograms(options: SearchOptions, most: number): readonly Replayable[] {
  const { createGuard, look } = options
  const worst = search(options).worst.slice(0, most)
  const scenarios = new Set(worst.map(({ program }) => program.scenario))
  const starts = new Map([...scenarios].map((scenario) => [scenario, recordedStart(scenario, look)]))
  return worst.flatMap((result) => {
    const start = starts.get(result.program.scenario)
    if (start === undefined) return []
    const least = 0.99 * multipleOfProgram(result)
    const program = shrinkProgram(result.program, (shorter) => {
      return multipleOfProgram(runProgram(start.world, shorter, createGuard)) >= least
    })
    return [replayableOf(start, runProgram(start.world, program, createGuard, true))]
  })
}
