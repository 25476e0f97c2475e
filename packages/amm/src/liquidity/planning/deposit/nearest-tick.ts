import { MAX_TICK, priceFromTick, tickFromPrice } from '@svc/lp-math'

/**
 * The tick whose price is nearest to `price` (whole tokens, token1 per token0) by ratio. Rounding down instead would turn
 * a price that was read from a tick into the tick below it.
 *
 * @throws LpMathError `PRICE_OUT_OF_RANGE` where no tick has such a price.
 */
export function nearestTick(price: number, decimals0: number, decimals1: number): number {
  const below = tickFromPrice(price, decimals0, decimals1)
  if (below === MAX_TICK) return below
  const down = price / priceFromTick(below, decimals0, decimals1)
  const up = priceFromTick(below + 1, decimals0, decimals1) / price
  return up < down ? below + 1 : below
}
