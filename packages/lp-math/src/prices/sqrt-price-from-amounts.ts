import { integerSqrt } from '../integers/integer-sqrt.ts'
import { LpMathError } from '../lp-math-error.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/tick-bounds.ts'

/**
 * Sqrt price (Q64.96, floor) at which `amount1` and `amount0` (smallest units) are worth the same: sqrt(amount1 / amount0) * 2^96.
 * @throws LpMathError `PRICE_OUT_OF_RANGE` for an amount of 0 or less, or where no pool can stand.
 */
export function sqrtPriceFromAmounts(amount1: bigint, amount0: bigint): bigint {
  const sqrtPriceX96 = amount0 > 0n && amount1 > 0n ? integerSqrt((amount1 << 192n) / amount0) : 0n
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'No pool can have the price of these amounts.')
  }
  return sqrtPriceX96
}
