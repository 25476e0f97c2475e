import type { FeePace } from '../fee-model/fee-pace.ts'
import type { RangeYields } from './create-range-analyser.ts'

/**
 * One standard error of the expected net yield of a range, in percent a year: of its fees and of the volatility, as if independent. Fees of
 * which nothing is known may be all wrong.
 */
export function netAprError(range: NetYields, doubts: RangeDoubts): number {
  const { ofFees, ofVolatility } = netAprErrors(range, doubts)
  return Math.hypot(ofFees, ofVolatility)
}

/** The parts of {@link netAprError}. */
export function netAprErrors(range: NetYields, { pace, sigmaError }: RangeDoubts): NetAprErrors {
  const { calmer, wilder } = range.sensitivity
  const slope = wilder.sigma === calmer.sigma ? 0 : (wilder.netApr - calmer.netApr) / (wilder.sigma - calmer.sigma)
  return { ofFees: (range.feeApr * (feeErrorPct(range, pace) ?? 100)) / 100, ofVolatility: slope * sigmaError }
}

/** What the error of a net yield rests on. */
export type RangeDoubts = {
  /** Of the fees that were seen; in any money. */
  readonly pace: FeePace
  /** One standard error of the volatility, which is annual and a fraction. */
  readonly sigmaError: number
}

/** One standard error of a net yield, and its parts. */
export type NetAprErrors = {
  readonly ofFees: number
  /** What one standard error more of volatility brings: commonly below 0. */
  readonly ofVolatility: number
}

/** What of a `RangeAnalysis` its error follows from. */
export type NetYields = Pick<RangeYields, 'feeApr' | 'steadyFeeApr'> & {
  readonly sensitivity: { readonly calmer: NetAtSigma; readonly wilder: NetAtSigma }
}

/** The net yield at one volatility. */
export type NetAtSigma = { readonly sigma: number; readonly netApr: number }

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
