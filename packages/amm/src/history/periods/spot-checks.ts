import type { Period } from './read-periods.ts'

/**
 * Which of the periods of a subgraph to hold against the chain: those that claim most of each of `claims`, so that no other can claim
 * more than is true, and between them some that nobody can foresee. `slots` are where the closed periods begin, quiet ones too. Fewer
 * of a short history: then not all of the `largest` are among the `places`. Both are begins, Unix seconds; the places in order of worth.
 *
 * @param pickInt a whole number below a bound, not to be foreseen
 */
export function spotChecks(
  { slots, reported }: { readonly slots: readonly number[]; readonly reported: readonly Period[] },
  pickInt: (below: number) => number,
): SpotChecks {
  const open = new Set(slots)
  const rows = reported.filter(({ startsAt }) => open.has(startsAt))
  const largest = claims.flatMap((claim) => rows.toSorted((a, b) => claim(b) - claim(a)).slice(0, 1))
  const tops = [...new Set(largest.map(({ startsAt }) => startsAt))]
  const rest = slots.filter((slot) => !tops.includes(slot))
  const random = Array.from({ length: Math.max(leastRandom, leastChecks - tops.length) }, () =>
    rest.splice(rest.length === 0 ? 0 : pickInt(rest.length), 1),
  ).flat()
  const inTurn = Array.from({ length: leastChecks }, (_, index) => [tops[index], random[index]]).flat()
  const places = inTurn.filter((place) => place !== undefined).slice(0, Math.ceil(slots.length / 8))
  return { places, largest: tops }
}

export type SpotChecks = {
  readonly places: readonly number[]
  /** Those that claim most. */
  readonly largest: readonly number[]
}

/** What a falsehood would raise: the volume of either token, what a unit of liquidity earned of it, the way of the price. */
const claims: readonly ((period: Period) => number)[] = [
  ({ volume1 }) => volume1,
  ({ volume0 }) => volume0,
  ({ volume1, liquidity }) => (liquidity > 0 ? volume1 / liquidity : 0),
  ({ volume0, liquidity }) => (liquidity > 0 ? volume0 / liquidity : 0),
  ({ high, low }) => (low > 0 ? high / low : 0),
]

/** One period may claim most of several. */
const leastChecks = 6
const leastRandom = 3
