import { heldPosition, type HeldPosition, positionMinusHodl } from '../closed-form/position-value.ts'
import type { PriceBounds } from '../closed-form/price-model.ts'
import { countBelow } from './estimate.ts'

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
