import type { EquityPoint } from '../backtest/strategy-result.ts'
import type { Interval } from './interval.ts'
import { inverseNormalCdf, studentDeviate } from '../normal/inverse-normal-cdf.ts'

/**
 * By how much a strategy is to lead another over as many days to come as were replayed, in dollars, from what both were worth every day:
 * half of its lead, as the one that led is likelier to have been lucky, give or take what sums of as many daily changes of the lead scatter
 * by, both in the past and ahead. Student's t of 3 stands for days that are unlike each other. `null` below 7 whole days.
 */
export function leadAhead(best: readonly EquityPoint[], second: readonly EquityPoint[]): Interval | null {
  const whole = best.filter(({ at }) => (at - (best[0]?.at ?? at)) % 86_400 === 0).length
  const leads = best.slice(0, whole).map(({ valueUsd }, day) => valueUsd - (second[day]?.valueUsd ?? valueUsd))
  const changes = leads.slice(1).map((lead, day) => lead - (leads[day] ?? lead))
  const days = changes.length
  if (days < leastDays) return null
  const mean = changes.reduce((sum, change) => sum + change, 0) / days
  const squares = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0)
  const scatter = narrowing * Math.sqrt((2 * days * squares) / (days - 1))
  const at = (probability: number) =>
    (mean * days) / 2 + scatter * studentDeviate(inverseNormalCdf(probability), freedom)
  return { low95: at(0.025), low68: at(0.16), high68: at(0.84), high95: at(0.975) }
}

const leastDays = 7
/** Found on drawn pools, as `docs/decisions/0046-forecast-intervals.md` says; the scale of a t of few degrees is less than its deviation. */
const freedom = 3
const narrowing = 0.88
