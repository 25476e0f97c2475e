import { LpMathError } from '../lp-math-error.ts'

/** Refuses what is no amount of money: `VALUE_OUT_OF_RANGE` unless finite and at least 0. `field` names the argument. */
export function requireValue(value: number, field: string): void {
  if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('VALUE_OUT_OF_RANGE', `${field} is finite and at least 0.`)
  }
}
