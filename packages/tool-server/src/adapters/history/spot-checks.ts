import type { Chain } from '@svc/wallet/core'
import type { Period } from './read-periods.ts'

/**
 * Which of the periods of a subgraph to hold against the chain: those that claim most of each of `claims`, so that no other can claim
 * more than is true, and between them some that nobody can foresee. `slots` are where the closed periods begin, quiet ones too. Fewer
 * of a short history, and of a chain whose logs of one period take many requests; none where they take more than all may.
 *
 * @param pickInt a whole number below a bound, not to be foreseen
 */
export function spotChecks(
  { slots, told }: { readonly slots: readonly number[]; readonly told: readonly Period[] },
  barSeconds: number,
  chain: Pick<Chain, 'blockTimeSeconds' | 'logRangeBlocks'>,
  pickInt: (below: number) => number,
): readonly SpotCheck[] {
  const requestsEach = Math.ceil(barSeconds / chain.blockTimeSeconds / chain.logRangeBlocks)
  const most = Math.min(Math.ceil(slots.length / 8), Math.floor(mostRequests / requestsEach))
  const open = new Set(slots)
  const rows = told.filter(({ startsAt }) => open.has(startsAt))
  const largest = claims.flatMap((claim) => rows.toSorted((a, b) => claim(b) - claim(a)).slice(0, 1))
  const tops = [...new Set(largest.map(({ startsAt }) => startsAt))]
  const rest = slots.filter((slot) => !tops.includes(slot))
  const random = Array.from({ length: Math.max(leastRandom, leastChecks - tops.length) }, () =>
    rest.splice(rest.length === 0 ? 0 : pickInt(rest.length), 1),
  ).flat()
  const places = Array.from({ length: leastChecks }, (_, index) => [tops[index], random[index]])
  return places
    .flat()
    .filter((place) => place !== undefined)
    .slice(0, Math.max(0, most))
    .map((startsAt) => ({ startsAt, isLargest: tops.includes(startsAt) }))
}

export type SpotCheck = {
  readonly startsAt: number
  /** Whether it claims most. */
  readonly isLargest: boolean
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
/** For the logs of all of them, as far as the chain's usual block time and range of logs foretell. */
const mostRequests = 24
