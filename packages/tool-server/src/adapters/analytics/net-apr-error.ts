import type { RangeAnalysis } from '@svc/lp-math'
import { feeUncertaintyPct } from './fee-uncertainty-pct.ts'

/**
 * One standard error of the expected net yield of a range, in percent a year: of its fees and of the volatility, as if independent. Fees of
 * which nothing is known may be all wrong.
 */
export function netAprError(range: RangeAnalysis, doubts: RangeDoubts): number {
  const { calmer, wilder } = range.sensitivity
  const slope = wilder.sigma === calmer.sigma ? 0 : (wilder.netApr - calmer.netApr) / (wilder.sigma - calmer.sigma)
  return Math.hypot((range.feeApr * (feeUncertaintyPct(range, doubts) ?? 100)) / 100, slope * doubts.sigmaError)
}

/** Standard errors; plain data, which threads are sent. */
export type RangeDoubts = {
  /** Of the fees of a day, as a fraction of them; `null` where nothing tells it. */
  readonly feesError: number | null
  /** Of the volatility, which is annual and a fraction. */
  readonly sigmaError: number
}
