// node bench/value-worst.mjs FILE: writes the fifty worst programs of the full search as data that a real chain can do again: what stands
// at the beginning, and every step of attacker, agent, arbitrageur and others with block, time and amounts. Without what does nothing.
import { writeFileSync } from 'node:fs'
import { loadValueSearch, worstOfSearch } from './parts/value-search.mjs'

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('node bench/value-worst.mjs FILE')
  process.exit(2)
}
const programs = worstOfSearch(await loadValueSearch())
writeFileSync(file, `${JSON.stringify(programs)}\n`)
console.error(`${programs.length} programs in ${file}`)
