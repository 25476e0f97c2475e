import { LpMathError } from '../lp-math-error.ts'

/** Refuses what is no price: `PRICE_OUT_OF_RANGE` unless finite and positive. `field` names the argument. */
export function requirePrice(price: number, field: string): void {
  if (!(price > 0 && price < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', `${field} is a finite, positive price.`)
  }
}
