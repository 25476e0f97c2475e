import type { Estimate } from './estimate.ts'

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

/** Differences this small are none: both sides are sums of doubles. */
const rounding = 1e-8
