import type { RangeAnalysis } from '@svc/lp-math'
import { percents } from '../analysis/percents.ts'
import type { RangeChoice } from '../analysis/range/pick-range.ts'
import { figure } from './figure.ts'

/**
 * What must be said of a choice of range: that it leans, that every range loses, that another is expected to earn more, or that gas eats
 * much of the amount or of what the fees bring.
 */
export function choiceNotes(choice: RangeChoice, cost: CostOfChoice): readonly string[] {
  return [...leanNotes(choice), ...yieldNotes(choice), ...gasNotes(choice, cost)]
}

export type CostOfChoice = {
  readonly amountUsd: number
  /** To open and to close; null where it does not count. */
  readonly gasCostUsd: number | null
}

function leanNotes({ optimal, leansFrom: even }: RangeChoice): readonly string[] {
  if (even === undefined) return []
  const side = optimal.bounds.upper * optimal.bounds.lower > even.bounds.upper * even.bounds.lower ? 'above' : 'below'
  return [
    `The chosen range reaches farther ${side} the price than to the other side: ${yieldOf(optimal)}, against ${yieldOf(even)} of the even range, ${boundsOf(even)}.`,
  ]
}

function yieldNotes({ optimal, candidates }: RangeChoice): readonly string[] {
  const [best] = candidates.toSorted((a, b) => b.netApr - a.netApr)
  if (best === undefined || Math.max(best.netApr, optimal.netApr) < 0) {
    const least = best !== undefined && isAhead(best, optimal) ? ` "${best.label}" loses least, ${yieldOf(best)}.` : ''
    return [`Fees are not expected to pay for LVR and gas in any range: the chosen one loses.${least}`]
  }
  if (!isAhead(best, optimal)) return []
  return [
    `"${best.label}" is expected to earn more than the chosen range, ${yieldOf(best)} against ${yieldOf(optimal)}: the chosen one holds the price for the share of time that was asked for.`,
  ]
}

function gasNotes({ optimal }: RangeChoice, { amountUsd, gasCostUsd }: CostOfChoice): readonly string[] {
  if (gasCostUsd === null) return []
  const yearlyFeesUsd = (amountUsd * optimal.feeApr) / 100
  const shares = [
    { of: 'the amount', pct: (100 * gasCostUsd) / amountUsd },
    { of: 'the fees that the chosen range is expected to earn in a year', pct: (100 * gasCostUsd) / yearlyFeesUsd },
  ]
  const large = shares
    .filter(({ pct }) => pct > 10 && pct < Infinity)
    .map(({ of, pct }) => `${percents(pct, 1, 'lead')} % of ${of}`)
  if (large.length === 0) return []
  return [
    `Gas to open and close, ${figure(gasCostUsd)} USD, is ${large.join(' and ')}: it costs the same whatever the amount, so that a larger one bears it better.`,
  ]
}

/** As far as the figures that are shown tell. */
function isAhead(one: RangeAnalysis, other: RangeAnalysis): boolean {
  return one.netApr > other.netApr && yieldOf(one) !== yieldOf(other)
}

function boundsOf({ bounds: { lower, upper } }: RangeAnalysis): string {
  return `${figure(lower)} to ${figure(upper)}`
}

function yieldOf({ netApr }: RangeAnalysis): string {
  return `${percents(netApr, 2, 'yield')} % net a year`
}
