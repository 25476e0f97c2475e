import type { Estimate } from './estimate.ts'

/** The mean of independent replicates of a number, and the standard error that their scatter tells. */
export function estimateOf(replicates: readonly number[]): Estimate {
  const count = replicates.length
  const mean = replicates.reduce((sum, value) => sum + value, 0) / count
  const squares = replicates.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, standardError: Math.sqrt(squares / (count * (count - 1))) }
}
