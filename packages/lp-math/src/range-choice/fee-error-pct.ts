import type { FeePace } from '../fee-model/fee-pace.ts'
import type { RangeYields } from './create-range-analyser.ts'

/**
 * One standard error of the fees ahead of a range, in percent of them, out of independent causes: chance in the days that were seen, the
 * last week against them, and whether trade follows the depth or the clock. `null` where the days are too few to tell, and of
 * fees of nothing, which have no percent.
 */
export function feeErrorPct(
  { feeApr, steadyFeeApr }: Pick<RangeYields, 'feeApr' | 'steadyFeeApr'>,
  { perDay, ofLast7Days, standardError }: FeePace,
): number | null {
  if (standardError === null || !(perDay > 0) || !(feeApr > 0)) return null
  return 100 * Math.hypot(standardError / perDay, (ofLast7Days - perDay) / perDay, (steadyFeeApr - feeApr) / feeApr)
}
