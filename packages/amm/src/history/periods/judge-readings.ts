import type { HistoryRequest } from '../../ports.ts'
import type { ReportedPeriods } from './reported-periods.ts'
import { disagreement } from './disagreement.ts'
import { isWithin, metOf, periodFitsSwaps } from './period-fits-swaps.ts'
import type { Reading } from '../read-places.ts'

/**
 * Which of the periods of a subgraph agree with what the pool logged in them, and in which the endpoint is silent: it has no log of one
 * said to be traded, nor of any before, so that it may have thrown them away. Throws `SubgraphError` `untrue` where one disagrees.
 */
export function judgeReadings(
  { pool, barSeconds }: Pick<HistoryRequest, 'pool' | 'barSeconds'>,
  { reported, opening }: Pick<ReportedPeriods, 'reported' | 'opening'>,
  readings: readonly Reading[],
): Judged {
  const knownFrom = Math.min(...readings.flatMap(({ startsAt, isTraded }) => (isTraded ? [startsAt] : [])))
  const met = readings.flatMap(({ swaps }) => metOf(swaps))
  const agreed = new Set<number>()
  const silent: number[] = []
  for (const { startsAt, swaps, isTraded } of readings) {
    const period = reported.find((each) => each.startsAt === startsAt) ?? null
    const before = reported.findLast((each) => each.startsAt < startsAt) ?? opening
    if (periodFitsSwaps(pool, period, before, swaps, met)) agreed.add(startsAt)
    else if (isTraded || startsAt >= knownFrom) throw disagreement(startsAt, barSeconds)
    else silent.push(startsAt)
  }
  requireLiquidity(readings, reported, barSeconds)
  return { agreed, silent }
}

export type Judged = {
  /** Their begins, Unix seconds. */
  readonly agreed: ReadonlySet<number>
  readonly silent: readonly number[]
}

/** Positions come and go after the last swap of a period, not of most: in most the liquidity is one that swaps met, to a twentieth. */
function requireLiquidity(
  readings: readonly Reading[],
  reported: ReportedPeriods['reported'],
  barSeconds: number,
): void {
  const traded = readings.filter(({ swaps }) => swaps.length > 0)
  const off = traded.filter(({ startsAt, swaps }) => {
    const period = reported.find((each) => each.startsAt === startsAt)
    return period !== undefined && !isWithin(1.05, period.liquidity, metOf(swaps))
  })
  const [first] = off
  if (first !== undefined && traded.length > 1 && off.length * 2 > traded.length)
    throw disagreement(first.startsAt, barSeconds)
}
