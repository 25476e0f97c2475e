import { LpMathError } from '../lp-math-error.ts'

/**
 * The annual volatility, as a fraction, at which the LVR of a full range, sigma²/8 of its value a year, eats a fee yield of `feeApr` percent.
 * Source: Milionis et al. (2022); see {@link lvrRate}.
 * @throws LpMathError `FEE_OUT_OF_RANGE` unless finite and at least 0.
 */
export function breakEvenSigma(feeApr: number): number {
  if (!(feeApr >= 0 && feeApr < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('FEE_OUT_OF_RANGE', 'feeApr is a finite percentage of at least 0.')
  }
  return Math.sqrt((8 * feeApr) / 100)
}
