import { LpMathError } from '../lp-math-error.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/tick-bounds.ts'
import { floorSqrtPrice } from './floor-sqrt-price.ts'

/**
 * Sqrt price (Q64.96, floor) of a price in whole tokens, token1 per token0, given as a number or a plain decimal string.
 * @throws LpMathError `PRICE_MALFORMED`, `PRICE_OUT_OF_RANGE` where no pool can stand, `DECIMALS_OUT_OF_RANGE`.
 */
export function sqrtPriceFromPrice(price: number | string, decimals0: number, decimals1: number): bigint {
  const sqrtPriceX96 = floorSqrtPrice(price, decimals0, decimals1)
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'No pool can have this price.')
  }
  return sqrtPriceX96
}
