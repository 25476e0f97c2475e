import type { RangeAnalysis } from '@svc/lp-math'
import type { RangeDoubts } from './net-apr-error.ts'

/**
 * One standard error of the fees of a range, in percent of them, of independent causes: those of the fees of a day, and whether trade
 * follows the depth of the pool or the clock. `null` where nothing tells it.
 */
export function feeUncertaintyPct(
  { feeApr, steadyFeeApr }: RangeAnalysis,
  { feesError }: Pick<RangeDoubts, 'feesError'>,
): number | null {
  if (feesError === null) return null
  return feeApr > 0 ? 100 * Math.hypot(feesError, (steadyFeeApr - feeApr) / feeApr) : 0
}
