import { LpMathError } from '../lp-math-error.ts'

/** Refuses what is no annual volatility: `SIGMA_OUT_OF_RANGE` outside 0 to 10 (1,000 %). `field` names the argument. */
export function requireSigma(sigma: number, field: string): void {
  if (!(sigma >= 0 && sigma <= 10)) {
    throw new LpMathError('SIGMA_OUT_OF_RANGE', `${field} is an annual volatility as a fraction within 0 and 10.`)
  }
}
