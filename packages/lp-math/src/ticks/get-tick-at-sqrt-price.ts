import { LpMathError } from '../lp-math-error.ts'
import { getSqrtPriceAtTick } from './get-sqrt-price-at-tick.ts'
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from './tick-bounds.ts'

/**
 * The greatest tick whose sqrt price (Q64.96) is at most `sqrtPriceX96`.
 * A logarithm in doubles gives the neighbourhood, exact comparisons decide. Source: v3 whitepaper eq. 6.8; TickMath of v3-core.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE` unless MIN_SQRT_PRICE <= sqrtPriceX96 < MAX_SQRT_PRICE.
 */
export function getTickAtSqrtPrice(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) {
    throw new LpMathError(
      'SQRT_PRICE_OUT_OF_RANGE',
      'A sqrt price is at least MIN_SQRT_PRICE and below MAX_SQRT_PRICE.',
    )
  }
  const estimate = Math.floor((Math.log(Number(sqrtPriceX96)) - LN_Q96) / LN_SQRT_TICK_BASE)
  let tick = Math.min(Math.max(estimate, MIN_TICK), MAX_TICK - 1)
  while (getSqrtPriceAtTick(tick) > sqrtPriceX96) tick -= 1
  while (getSqrtPriceAtTick(tick + 1) <= sqrtPriceX96) tick += 1
  return tick
}

const LN_Q96 = 96 * Math.LN2
const LN_SQRT_TICK_BASE = Math.log(1.0001) / 2
