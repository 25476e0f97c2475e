import { LpMathError } from '../lp-math-error.ts'

/** Refuses what is no integer from `least` to `most`: `COUNT_OUT_OF_RANGE`. `field` names the argument. */
export function requireCount(value: number, field: string, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new LpMathError('COUNT_OUT_OF_RANGE', `${field} must be an integer from ${least} to ${most}, got ${value}`)
}
