import { LpMathError } from '../lp-math-error.ts'
import { getTickAtSqrtPrice } from '../ticks/get-tick-at-sqrt-price.ts'
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE } from '../ticks/tick-bounds.ts'
import { floorSqrtPrice } from './floor-sqrt-price.ts'

/**
 * The greatest tick whose price is at most `price` (whole tokens, token1 per token0, number or plain decimal string), compared
 * exactly. A price above that of MAX_TICK is refused. Source: v3 whitepaper eq. 6.8.
 * @throws LpMathError `PRICE_MALFORMED`, `PRICE_OUT_OF_RANGE`, `DECIMALS_OUT_OF_RANGE`.
 */
export function tickFromPrice(price: number | string, decimals0: number, decimals1: number): number {
  // s^2 <= x holds for integers s exactly when s <= floor(sqrt(floor(x))): comparing roots loses nothing.
  const sqrtPriceX96 = floorSqrtPrice(price, decimals0, decimals1)
  if (sqrtPriceX96 === MAX_SQRT_PRICE) return MAX_TICK
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 > MAX_SQRT_PRICE) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'No tick has this price.')
  }
  return getTickAtSqrtPrice(sqrtPriceX96)
}
