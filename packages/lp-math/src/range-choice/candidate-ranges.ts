import { LpMathError } from '../lp-math-error.ts'
import type { RangeAnalyser, RangeAnalysis } from './create-range-analyser.ts'

/**
 * The ranges that people know, analysed: the price give or take some percent, from narrow to wide, and the full range last. A range that
 * becomes another's after it is widened to usable ticks is still reported.
 * @throws LpMathError `PRICE_OUT_OF_RANGE` unless each of `halfWidthsPct` is above 0 and below 100.
 */
export function candidateRanges(analyser: RangeAnalyser, halfWidthsPct: readonly number[] = KNOWN): LabelledRange[] {
  const { price } = analyser.market.model
  const around = halfWidthsPct.map((halfWidthPct): LabelledRange => {
    if (!(halfWidthPct > 0 && halfWidthPct < 100)) {
      throw new LpMathError('PRICE_OUT_OF_RANGE', 'Each of halfWidthsPct is above 0 and below 100.')
    }
    const step = (price * halfWidthPct) / 100
    return { label: `±${halfWidthPct} %`, ...analyser.analyse({ lower: price - step, upper: price + step }) }
  })
  return [...around, { label: 'full', ...analyser.analyse({ lower: 0, upper: Number.POSITIVE_INFINITY }) }]
}

export type LabelledRange = RangeAnalysis & { readonly label: string }

const KNOWN = [1, 2.5, 5, 10, 15, 25, 50, 75]
