// The worst programs of the search, known attacks among them, without the actions that do nothing for what they lose: as data that a real
// chain can do again.
import { fullSearch } from './value-search.mjs'

/** @param size how large a search; as many programs come out as it keeps, at most fifty */
export function worstPrograms(value, size = { ...fullSearch, known: fullSearch.scenarios }) {
  const { createServerGuard: createGuard, serverLook: look, multipleOfProgram, recordedStart, runProgram } = value
  const { worst } = value.search({ ...size, createGuard, look })
  const starts = new Map(worst.map(({ program }) => [program.scenario, recordedStart(program.scenario, look)]))
  return worst.map((result) => {
    const start = starts.get(result.program.scenario)
    const least = 0.99 * multipleOfProgram(result)
    const isAsBad = (shorter) => multipleOfProgram(runProgram(start.world, shorter, createGuard)) >= least
    const program = value.shrinkProgram(result.program, isAsBad)
    return value.replayableOf(start, runProgram(start.world, program, createGuard, true))
  })
}
