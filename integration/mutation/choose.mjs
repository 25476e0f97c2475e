// Which mutants of all, and which tests for each.
import { basename, dirname } from 'node:path'

/** Chooses `count` of the items; the same seed chooses the same of the same items. */
export function sample(items, count, seed) {
  const random = mulberry32(seed)
  const rest = [...items]
  const chosen = []
  while (chosen.length < count && rest.length > 0) {
    chosen.push(...rest.splice(Math.floor(random() * rest.length), 1))
  }
  return chosen
}

/**
 * The files of tests that may notice a change of `source`, in the order of what is likely to notice it soonest: its own, those of its
 * folder, those whose tests reach it, and (where it runs as the module loads) those that import it, the nearest and quickest first.
 * No more than pass in `withinMs` when nothing is changed; `leftOut` counts the others.
 *
 * @param reaching files of tests that reach the change
 * @param importing distance (imports between) of each file that imports `source`; empty where it does not run as the module loads
 * @param durations milliseconds of each file of tests that passes unchanged; what is not in it is not chosen
 */
export function chooseTests({ source, reaching, importing, durations, withinMs }) {
  const candidates = new Set([...reaching, ...importing.keys()].filter((test) => durations.has(test)))
  const rank = (test) => (isOwn(test, source) ? 0 : dirname(test) === dirname(source) ? 1 : reaching.has(test) ? 2 : 3)
  const cost = (test) => durations.get(test) * (importing.get(test) ?? 1)
  const order = [...candidates].toSorted((one, other) => rank(one) - rank(other) || cost(one) - cost(other))
  const tests = []
  let leftMs = withinMs
  for (const test of order) {
    // The first is run whatever it takes.
    if (tests.length > 0 && durations.get(test) > leftMs) continue
    leftMs -= durations.get(test)
    tests.push(test)
  }
  return { tests, leftOut: order.length - tests.length }
}

function isOwn(test, source) {
  return dirname(test) === dirname(source) && basename(test).startsWith(`${basename(source, '.ts')}.`)
}

/** Source: the public-domain generator of that name, 32 bits of state. */
function mulberry32(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
