import { LpMathError } from '../lp-math-error.ts'
import type { PriceBounds } from './price-bounds.ts'

/**
 * Refuses bounds between which no position can lie.
 * @throws LpMathError `PRICE_OUT_OF_RANGE` unless the lower bound is finite and at least 0 and the upper one positive (Infinity is one);
 * `RANGE_EMPTY` unless the lower bound is below the upper one.
 */
export function requirePriceBounds({ lower, upper }: PriceBounds): void {
  if (!(lower >= 0 && lower < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'bounds.lower is a finite price of at least 0.')
  }
  if (!(upper > 0)) throw new LpMathError('PRICE_OUT_OF_RANGE', 'bounds.upper is a positive price or Infinity.')
  if (lower >= upper) throw new LpMathError('RANGE_EMPTY', 'bounds.lower lies below bounds.upper.')
}
