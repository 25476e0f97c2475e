import { getSqrtPriceAtTick } from '../ticks/get-sqrt-price-at-tick.ts'
import { priceFromSqrtPrice } from './price-from-sqrt-price.ts'

/**
 * Price at a tick in whole tokens, token1 per token0, as the double nearest to the contracts' price there.
 * Rounding to a double may fall just below the tick: `tickFromPrice` of it is then one tick lower.
 * @throws LpMathError `TICK_OUT_OF_RANGE`, `DECIMALS_OUT_OF_RANGE`.
 */
export function priceFromTick(tick: number, decimals0: number, decimals1: number): number {
  return priceFromSqrtPrice(getSqrtPriceAtTick(tick), decimals0, decimals1)
}
