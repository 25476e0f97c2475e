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

export type LossPercentiles = {
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
