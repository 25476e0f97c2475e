// The search for attacks on the rules about value, and the replay of honest calls, from the sources of the tests, with the figures that
// they come to.
import { bundleFixtures } from './bundle-fixtures.mjs'
import { sized } from './size.mjs'

/** The modules of the search, as one, and others of its folder. */
export function loadValueSearch(more = []) {
  return bundleFixtures('packages/engine/src/value/search/', [...modules, ...more])
}

const modules = [
  'guards/operator-policy',
  'guards/server-guard',
  'guards/sim-prices',
  'programs/honest-replay',
  'programs/score-program',
  'programs/search',
  'programs/worst-programs',
]

/** Full size: 2,000 programs of one seed, and as many changes of the worst of them. */
export const fullSearch = { seed: 1, programs: sized(2_000, 20), climbs: sized(2_000, 20), scenarios: sized(40, 2) }
/** The known attacks on every scenario, and changes of the worst of them. */
export const knownSearch = { ...fullSearch, known: fullSearch.scenarios, programs: 0 }
/** Enough to find a hole that is there. */
export const naiveSearch = { ...fullSearch, programs: sized(200, 10), climbs: sized(200, 10) }
export const fullReplay = { seed: 1, calls: sized(500, 20), days: 30, kinds: 5 }

/** The fifty worst programs of the full search and of the known attacks together. */
export function worstOfSearch({ worstPrograms, createServerGuard: createGuard, serverLook: look }) {
  return worstPrograms({ ...fullSearch, known: fullSearch.scenarios, createGuard, look }, sized(50, 2))
}
