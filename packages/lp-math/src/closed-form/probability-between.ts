import { normalCdf } from '../normal/normal-cdf.ts'

/** Probability that a standard normal number lies between two bounds, with its digits in both tails. */
export function probabilityBetween(lower: number, upper: number): number {
  return lower > 0 ? normalCdf(-lower) - normalCdf(-upper) : normalCdf(upper) - normalCdf(lower)
}
