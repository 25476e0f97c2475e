import type { PriceBounds, PriceModel } from '../closed-form/price-model.ts'
import { terminalInRangeProbability } from '../closed-form/stay-in-range-probability.ts'
import { timeInRange } from '../closed-form/occupation.ts'
import { type Estimate, estimateOf, countBelow } from './estimate.ts'
import { heldPosition, type HeldPosition, positionMinusHodl } from '../closed-form/position-value.ts'

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

/**
 * What positions that are opened at a price are worth at the ends of paths, range by range.
 *
 * @param count - how many ends there are: rising logarithms of the price over the price at which they are opened
 */
export function createOutcomes(
  ranges: readonly PriceBounds[],
  entryPrice: number,
  count: number,
): (ends: Float64Array) => Outcome[] {
  const positions = ranges.map((bounds) => {
    const position = heldPosition(bounds, entryPrice)
    return { position, valueAtStart: position.amount0 * entryPrice + position.amount1 }
  })
  const prices = new Float64Array(count)
  const losses = new Float64Array(count)
  return (ends) => {
    fillPrices(prices, ends, entryPrice)
    const peak = countBelow(ends, 0)
    return positions.map(({ position, valueAtStart }) => {
      const { lost, value } = fillLosses(losses, prices, position)
      const il = { mean: lost / count, ...lossPercentiles(losses, peak) }
      return { il, positionValue: value / (count * valueAtStart) }
    })
  }
}

export type Outcome = {
  readonly il: LossPercentiles & { readonly mean: number }
  /** Mean value at the end over the value at the start. */
  readonly positionValue: number
}

/**
 * What the losses of a replicate's paths tell: their percentiles and expected shortfall.
 *
 * @param losses - V/HODL - 1 at each of the ascending prices; a position's value is concave in the price and its HODL straight, so
 * losses rise to one peak and fall: the highest of them stand together, and nothing is sorted
 * @param peak - how many of them still rise
 */
export function lossPercentiles(losses: Float64Array, peak: number): LossPercentiles {
  return {
    p5: percentile(losses, peak, 0.05),
    p50: percentile(losses, peak, 0.5),
    p95: percentile(losses, peak, 0.95),
    shortfall: shortfall(losses, peak, 0.05 * losses.length),
  }
}

/** Keeps prices finite and above 0 where a price has all but vanished. */
const furthest = 600

function fillPrices(prices: Float64Array, logs: Float64Array, entryPrice: number): void {
  for (let index = 0; index < logs.length; index += 1) {
    const log = logs[index] ?? 0
    prices[index] = entryPrice * Math.exp(log < -furthest ? -furthest : log > furthest ? furthest : log)
  }
}

/** Writes V/HODL - 1 at each price, and returns its sum and that of V. */
function fillLosses(losses: Float64Array, prices: Float64Array, position: HeldPosition) {
  let lost = 0
  let value = 0
  for (let index = 0; index < prices.length; index += 1) {
    const price = prices[index] ?? 0
    const hodl = position.amount0 * price + position.amount1
    const difference = positionMinusHodl(position, price)
    // Adding 0 turns the -0 of no loss into 0.
    const loss = difference / hodl + 0
    losses[index] = loss
    lost += loss
    value += hodl + difference
  }
  return { lost, value }
}

type LossPercentiles = {
  readonly p5: number
  readonly p50: number
  readonly p95: number
  /** Mean of the worst 5 %. */
  readonly shortfall: number
}

/** Between the two values whose ranks enclose it. */
function percentile(losses: Float64Array, peak: number, share: number): number {
  const rank = share * (losses.length - 1)
  const low = ranked(losses, peak, Math.floor(rank))
  const high = ranked(losses, peak, Math.ceil(rank))
  return low + (high - low) * (rank - Math.floor(rank))
}

/** Mean of the lowest `worst` values, of which the last may count in part. */
function shortfall(losses: Float64Array, peak: number, worst: number): number {
  const whole = Math.floor(worst)
  const { first, behind } = highest(losses, peak, whole)
  const lowest = sumOf(losses, 0, first) + sumOf(losses, behind, losses.length)
  return (lowest + (worst - whole) * ranked(losses, peak, whole)) / worst
}

/** The loss above `rank` others. */
function ranked(losses: Float64Array, peak: number, rank: number): number {
  const { first, behind } = highest(losses, peak, rank)
  return Math.min(losses[first] ?? 0, losses[behind - 1] ?? 0)
}

/** Where all but the `lowest` stand: about the peak, moved up while the loss that would enter is higher than the one that leaves. */
function highest(losses: Float64Array, peak: number, lowest: number): { first: number; behind: number } {
  const length = losses.length - lowest
  let [low, high] = [Math.max(peak - length, 0), Math.min(peak, lowest)]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((losses[middle] ?? 0) < (losses[middle + length] ?? 0)) low = middle + 1
    else high = middle
  }
  return { first: low, behind: low + length }
}

function sumOf(losses: Float64Array, from: number, to: number): number {
  let sum = 0
  for (let index = from; index < to; index += 1) sum += losses[index] ?? 0
  return sum
}
