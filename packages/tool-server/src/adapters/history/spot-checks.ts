import type { Chain } from '@svc/wallet/core'
import type { Period } from './read-periods.ts'

/**
 * Which of the periods of a subgraph to hold against the chain: those that claim most, so that no other can claim more than is true,
 * and between them some that nobody can foresee. `slots` are where the closed periods begin, quiet ones too. Fewer of a short history,
 * and of a chain whose logs of one period take many requests; none where they take more than all may.
 *
 * @param pickInt a whole number below a bound, not to be foreseen
 */
export function spotChecks(
  { slots, told }: { readonly slots: readonly number[]; readonly told: readonly Period[] },
  barSeconds: number,
  chain: Pick<Chain, 'blockTimeSeconds' | 'logRangeBlocks'>,
  pickInt: (below: number) => number,
): readonly number[] {
  const requestsEach = Math.ceil(barSeconds / chain.blockTimeSeconds / chain.logRangeBlocks)
  const most = Math.min(mostChecks, Math.ceil(slots.length / 8), Math.floor(mostRequests / requestsEach))
  const open = new Set(slots)
  const rows = told.filter(({ startsAt }) => open.has(startsAt))
  const chosen = new Set<number>()
  for (const claim of claims) {
    const largest = rows.filter(({ startsAt }) => !chosen.has(startsAt)).toSorted((a, b) => claim(b) - claim(a))[0]
    if (largest !== undefined) chosen.add(largest.startsAt)
    const rest = slots.filter((slot) => !chosen.has(slot))
    const random = rest[rest.length === 0 ? 0 : pickInt(rest.length)]
    if (random !== undefined) chosen.add(random)
  }
  return [...chosen].slice(0, Math.max(0, most))
}

/** What a falsehood would raise: the volume, what a unit of liquidity earned of it, the way of the price. */
const claims: readonly ((period: Period) => number)[] = [
  ({ volume1 }) => volume1,
  ({ volume1, liquidity }) => (liquidity > 0 ? volume1 / liquidity : 0),
  ({ high, low }) => (low > 0 ? high / low : 0),
]

const mostChecks = 6
/** For the logs of all of them. */
const mostRequests = 24
