import type { PriceBounds } from '../closed-form/price-bounds.ts'
import type { PriceModel } from '../closed-form/price-model.ts'
import type { Outcome } from './create-outcomes.ts'
import { estimateOf } from './estimate-of.ts'
import type { Estimate } from './estimate.ts'
import { timeGridError } from './time-grid-error.ts'

/**
 * From the means of each replicate to estimates. The share of time is counted at steps; what that misses of the time between them is
 * known exactly and taken off. Where no path or every path was seen in range, the scatter says nothing: what is counted is never
 * said to be surer than one path in all.
 */
export function rangeEstimates(bounds: PriceBounds, { model, steps, paths, rows }: RangeSample): RangeEstimates {
  const estimate = (value: (row: ReplicateRow) => number) => estimateOf(rows.map(value))
  const startInRange = model.price >= bounds.lower && model.price < bounds.upper ? 0.5 : 0
  const gridError = timeGridError(bounds, model, steps)
  const time = estimate(({ stepsInRange }) => (startInRange + stepsInRange) / steps - gridError)
  const certain = model.sigma === 0 || (bounds.lower === 0 && bounds.upper === Number.POSITIVE_INFINITY)
  const counted = ({ mean, standardError }: Estimate) => ({
    mean: Math.min(Math.max(mean, 0), 1),
    standardError: certain ? standardError : Math.max(standardError, 1 / paths),
  })
  return {
    bounds,
    timeInRange: counted(time),
    terminalInRange: counted(estimate(({ terminalInRange }) => terminalInRange)),
    stayInRange: estimate(({ stayInRange }) => stayInRange),
    il: estimate(({ il }) => il.mean),
    ilPercentiles: {
      p5: estimate(({ il }) => il.p5),
      p50: estimate(({ il }) => il.p50),
      p95: estimate(({ il }) => il.p95),
    },
    ilShortfall: estimate(({ il }) => il.shortfall),
    positionValue: estimate(({ positionValue }) => positionValue),
  }
}

export type RangeEstimates = {
  readonly bounds: PriceBounds
  /** Share of the time to the horizon, 0 to 1. */
  readonly timeInRange: Estimate
  /** Probability that the price lies in range at the horizon. */
  readonly terminalInRange: Estimate
  /** Probability that the price touches neither bound until the horizon. */
  readonly stayInRange: Estimate
  /** V/HODL - 1 at the horizon, as a fraction. */
  readonly il: Estimate
  /** Of V/HODL - 1 over the paths: p5 is a bad outcome, p95 a good one. */
  readonly ilPercentiles: { readonly p5: Estimate; readonly p50: Estimate; readonly p95: Estimate }
  /** Mean of V/HODL - 1 over the worst 5 % of the paths. */
  readonly ilShortfall: Estimate
  /** Value of the position at the horizon over its value at the start, in token1, without fees. */
  readonly positionValue: Estimate
}

/** What a replicate saw of a range. */
export type ReplicateRow = Outcome & {
  /** Steps in range, the last at half weight. */
  readonly stepsInRange: number
  readonly terminalInRange: number
  readonly stayInRange: number
}

export type RangeSample = {
  readonly model: PriceModel
  readonly steps: number
  readonly paths: number
  readonly rows: readonly ReplicateRow[]
}
