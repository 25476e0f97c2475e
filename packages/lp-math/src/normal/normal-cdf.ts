import { erfc } from './erfc.ts'

/** Probability that a standard normal number lies below `x`: to 1e-15 of its value, times x² far out in the lower tail. */
export function normalCdf(x: number): number {
  return erfc(-x * Math.SQRT1_2) / 2
}
