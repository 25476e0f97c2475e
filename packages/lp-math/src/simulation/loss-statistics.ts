/**
 * What the losses of a replicate's paths tell: their mean, percentiles and expected shortfall.
 *
 * @param losses - V/HODL - 1 at each of the ascending prices; a position's value is concave in the price and its HODL straight, so
 * losses rise to one peak and fall, and are sorted by reading them from both ends
 * @param sorted - of the same length, written over
 */
export function lossStatistics(losses: Float64Array, sorted: Float64Array): LossStatistics {
  const count = losses.length
  let [first, last, sum] = [0, count - 1, 0]
  for (let rank = 0; rank < count; rank += 1) {
    const low = losses[first] ?? 0
    const high = losses[last] ?? 0
    const next = low < high ? low : high
    if (low < high) first += 1
    else last -= 1
    sorted[rank] = next
    sum += next
  }
  return {
    mean: sum / count,
    p5: percentile(sorted, 0.05),
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    shortfall: shortfall(sorted, 0.05 * count),
  }
}

export type LossStatistics = {
  readonly mean: number
  readonly p5: number
  readonly p50: number
  readonly p95: number
  /** Mean of the worst 5 %. */
  readonly shortfall: number
}

/** Between the two values whose ranks enclose it. */
function percentile(sorted: Float64Array, share: number): number {
  const rank = share * (sorted.length - 1)
  const low = sorted[Math.floor(rank)] ?? 0
  const high = sorted[Math.ceil(rank)] ?? 0
  return low + (high - low) * (rank - Math.floor(rank))
}

/** Mean of the lowest `worst` values, of which the last may count in part. */
function shortfall(sorted: Float64Array, worst: number): number {
  let sum = 0
  for (let rank = 0; rank < worst; rank += 1) sum += (sorted[rank] ?? 0) * Math.min(worst - rank, 1)
  return sum / worst
}
