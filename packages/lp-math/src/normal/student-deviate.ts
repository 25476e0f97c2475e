import { LpMathError } from '../lp-math-error.ts'

/**
 * The deviate of Student's t that is as unlikely as a normal one, for an error that is itself out of few values. Source: Wallace 1959,
 * "Bounds on normal approximations to Student's and the chi-square distributions", solved for t: within 0.03 of `normal` from 6 degrees
 * of freedom on.
 *
 * @param freedom - how many values the error is out of, less one
 * @throws LpMathError `COUNT_OUT_OF_RANGE` below 1
 */
export function studentDeviate(normal: number, freedom: number): number {
  if (!(freedom >= 1)) throw new LpMathError('COUNT_OUT_OF_RANGE', 'freedom is at least 1.')
  const scaled = (normal * (8 * freedom + 3)) / (8 * freedom + 1)
  return Math.sign(normal) * Math.sqrt(freedom * Math.expm1((scaled * scaled) / freedom))
}
