import type { PriceBounds, PriceModel } from '../closed-form/price-model.ts'
import { terminalInRangeProbability } from '../closed-form/stay-in-range-probability.ts'
import { timeInRange } from '../closed-form/occupation-density.ts'
import type { Outcome } from './create-outcomes.ts'
import { type Estimate, estimateOf } from './estimate.ts'

/**
 * From the means of each replicate to estimates. The share of time is counted at steps; what that misses of the time between them is
 * known exactly and taken off. What is counted in paths is off by up to half of what one counts for in each replicate, whatever their scatter
 * says; so is the probability to stay where fewer than a few paths of a replicate decide it, or ended beyond one of the bounds, and
 * IL where all but a few ended beyond the same one: those few may all be missed.
 */
export function rangeEstimates(bounds: PriceBounds, { model, steps, paths, rows }: RangeSample): RangeEstimates {
  const estimate = (value: (row: ReplicateRow) => number) => estimateOf(rows.map(value))
  const startInRange = model.price >= bounds.lower && model.price < bounds.upper ? 0.5 : 0
  const gridError = timeGridError(bounds, model, steps)
  const time = estimate(({ stepsInRange }) => (startInRange + stepsInRange) / steps - gridError)
  const certain = model.sigma === 0 || (bounds.lower === 0 && bounds.upper === Number.POSITIVE_INFINITY)
  const halfPath = certain ? 0 : Math.sqrt(rows.length) / (2 * paths)
  const counted = ({ mean, standardError }: Estimate, mostOfPath = 1) => ({
    mean: Math.min(Math.max(mean, 0), 1),
    standardError: Math.max(standardError, halfPath * mostOfPath),
  })
  const [{ stay: mostStay, time: mostTime } = { stay: 1, time: 1 }] = rows.map((row) => row.mostOfPath)
  const stay = estimate(({ stayInRange }) => stayInRange)
  const size = paths / rows.length
  const meanOf = (value: (row: ReplicateRow) => number) => rows.reduce((sum, row) => sum + value(row), 0) / rows.length
  // Each path that stays counts for no more than the most a path can: the less that is, the more paths decide.
  const decidingStay = Math.min(
    size * Math.min(stay.mean / Math.max(mostStay, Number.MIN_VALUE), 1 - stay.mean),
    meanOf(({ leastBeyond }) => leastBeyond),
  )
  const decidingIl = size - meanOf(({ mostBeyond }) => mostBeyond)
  const il = estimate(({ il }) => il.mean)
  return {
    bounds,
    replicates: rows.length,
    timeInRange: counted(time, mostTime),
    terminalInRange: counted(estimate(({ terminalInRange }) => terminalInRange)),
    stayInRange: decidingStay < fewPaths ? counted(stay, mostStay) : stay,
    il: decidingIl < fewPaths ? { ...il, standardError: Math.max(il.standardError, halfPath) } : il,
    ilPercentiles: {
      p5: estimate(({ il }) => il.p5),
      p50: estimate(({ il }) => il.p50),
      p95: estimate(({ il }) => il.p95),
    },
    ilShortfall: estimate(({ il }) => il.shortfall),
    positionValue: estimate(({ positionValue }) => positionValue),
  }
}

/** What a simulation says of one range, each estimate with its standard error. */
export type RangeEstimates = {
  readonly bounds: PriceBounds
  /** Whose scatter the standard errors are of: few, so that distances in them follow Student's t (`standardErrorsOff`). */
  readonly replicates: number
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
  /** The most that a single path adds to the paths that stay, and to the share of time. */
  readonly mostOfPath: { readonly stay: number; readonly time: number }
  /** Paths that ended beyond the bound that fewer did. */
  readonly leastBeyond: number
  /** Paths that ended beyond the bound that more did. */
  readonly mostBeyond: number
}

export type RangeSample = {
  readonly model: PriceModel
  readonly steps: number
  readonly paths: number
  readonly rows: readonly ReplicateRow[]
}

/** Of a replicate. */
const fewPaths = 4

/**
 * By how much the expected share of steps in range, the first and last at half weight, misses the expected share of time in range:
 * exact, because the distribution of the price at each step is known.
 */
export function timeGridError(bounds: PriceBounds, model: PriceModel, steps: number): number {
  let inRange = (model.price >= bounds.lower && model.price < bounds.upper ? 0.5 : 0) / steps
  for (let step = 1; step <= steps; step += 1) {
    const years = (model.years * step) / steps
    const probability = terminalInRangeProbability(bounds, { ...model, years })
    inRange += (step === steps ? 0.5 : 1) * (probability / steps)
  }
  return inRange - timeInRange(bounds, model)
}
