/** A number out of random paths, and how far it may lie from what endless paths would give. */
export type Estimate = { readonly mean: number; readonly standardError: number }

/** The mean of independent replicates of a number, and the standard error that their scatter tells. */
export function estimateOf(replicates: readonly number[]): Estimate {
  const count = replicates.length
  const mean = replicates.reduce((sum, value) => sum + value, 0) / count
  const squares = replicates.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, standardError: Math.sqrt(squares / (count * (count - 1))) }
}

/** Replicates of equal size, a power of two, with which Sobol points are evenest: at least those asked for, fewer than twice as many. */
export function division({ paths, replicates = 8 }: { paths: number; replicates?: number | undefined }): {
  size: number
  replicates: number
} {
  const size = 2 ** Math.floor(Math.log2(paths / replicates))
  return { size, replicates: Math.ceil(paths / size) }
}

/** How many of the rising values lie below a bound. */
export function countBelow(values: Float64Array, bound: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] ?? 0) < bound) low = middle + 1
    else high = middle
  }
  return low
}
