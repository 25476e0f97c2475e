import { candidateRanges, chooseRange, type RangeAnalyser } from '@svc/lp-math'
import { netAprError, type RangeDoubts } from './net-apr-error.ts'
import type { RangeChoice } from './told-choice.ts'

/**
 * The range that is recommended, and those beside it. It lies evenly about the price unless the best skew is expected to earn more by more
 * than the errors of both together: below that the side it leans to would follow the order of the tokens.
 * @throws LpMathError `PROBABILITY_OUT_OF_RANGE` unless the target, a share of the time in range, is at least 0 and below 1.
 */
export function pickRange(analyser: RangeAnalyser, targetTimeInRange: number, doubts: RangeDoubts): RangeChoice {
  const { best, atTarget, even } = chooseRange(analyser, targetTimeInRange)
  const isToldApart = atTarget.netApr - even.netApr > netAprError(atTarget, doubts) + netAprError(even, doubts)
  return {
    optimal: isToldApart ? atTarget : even,
    candidates: [{ ...best, label: 'best net' }, ...candidateRanges(analyser)],
  }
}
