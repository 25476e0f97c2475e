// node bench/value-worst.mjs FILE: writes the fifty worst programs of the full search, known attacks among them, as data that a real chain can do again: what stands
// at the beginning, and every step of attacker, agent, arbitrageur and others with block, time and amounts. Without what does nothing.
import { writeFileSync } from 'node:fs'
import { fullSearch, loadValueSearch } from './parts/value-search.mjs'

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('node bench/value-worst.mjs FILE')
  process.exit(2)
}
const value = await loadValueSearch()
const { createServerGuard: createGuard, serverLook: look, multipleOfProgram, recordedStart, runProgram } = value
const { worst } = value.search({ ...fullSearch, known: fullSearch.scenarios, createGuard, look })
const starts = new Map(worst.map(({ program }) => [program.scenario, recordedStart(program.scenario, look)]))
const played = (program) => runProgram(starts.get(program.scenario).world, program, createGuard)
const programs = worst.map((result) => {
  const least = 0.99 * multipleOfProgram(result)
  const program = value.shrinkProgram(result.program, (shorter) => multipleOfProgram(played(shorter)) >= least)
  const start = starts.get(program.scenario)
  return value.replayableOf(start, runProgram(start.world, program, createGuard, true))
})
writeFileSync(file, `${JSON.stringify(programs)}\n`)
console.error(`${programs.length} programs in ${file}`)
