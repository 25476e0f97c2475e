import { inverseNormalCdf, normalCdf } from '../normal/normal.ts'

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

/**
 * How many standard errors an estimate lies from the truth, as a normal deviate that is as unlikely: a standard error out of a few
 * replicates is itself uncertain, so that the distance in it follows Student's t. Wallace 1959, "Bounds on normal approximations to
 * Student's and the chi-square distributions": within 0.03 from 7 degrees of freedom on.
 *
 * @param replicates - from whose scatter the standard error comes, at least 2
 */
export function standardErrorsOff({ mean, standardError }: Estimate, truth: number, replicates: number): number {
  const t = Math.abs(mean - truth) / Math.max(standardError, rounding)
  const freedom = replicates - 1
  return ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p((t * t) / freedom))
}

/**
 * How far the farthest of several figures lies off, as a normal deviate that is as unlikely as that one of so many lies so far by chance.
 * That chance counts `allowance` times, since replicates of a skewed figure are no normal numbers: above 4 lies one call of 100,000.
 *
 * @param deviates - of each figure, as {@link standardErrorsOff} tells them
 */
export function farthestOff(deviates: readonly number[]): number {
  const most = Math.max(...deviates)
  const chance = 2 * normalCdf(-most) * deviates.length * allowance
  if (chance >= 1) return 0
  return chance > Number.MIN_VALUE ? -inverseNormalCdf(chance / 2) : most
}

const allowance = 8

/** Differences this small are none: both sides are sums of doubles. */
const rounding = 1e-8
