import {
  candidateRanges,
  chooseRange,
  createRangeAnalyser,
  type LabelledRange,
  netAprError,
  type RangeAnalysis,
  type RangeDoubts,
  type RangeMarket,
} from '@svc/lp-math'

/**
 * The range that is recommended, and those beside it. It lies evenly about the price unless the best skew is expected to earn more by more
 * than the errors of both together: below that the side it leans to would follow the order of the tokens.
 * @throws LpMathError on markets that mean nothing; `PROBABILITY_OUT_OF_RANGE` unless the target, a share of the time in range, is at least
 * 0 and below 1.
 */
export function pickRange({ market, targetTimeInRange, doubts }: RangeWanted): RangeChoice {
  const analyser = createRangeAnalyser(market)
  const { best, atTarget, even } = chooseRange(analyser, targetTimeInRange)
  const isToldApart = atTarget.netApr - even.netApr > netAprError(atTarget, doubts) + netAprError(even, doubts)
  return {
    optimal: isToldApart ? atTarget : even,
    candidates: [{ ...best, label: 'best net' }, ...candidateRanges(analyser)],
  }
}

/** What a range is chosen by. */
export type RangeWanted = {
  readonly market: RangeMarket
  /** 0 to 1. */
  readonly targetTimeInRange: number
  readonly doubts: RangeDoubts
}

export type RangeChoice = { readonly optimal: RangeAnalysis; readonly candidates: readonly LabelledRange[] }
