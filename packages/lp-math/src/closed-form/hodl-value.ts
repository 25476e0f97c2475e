import { positionAmounts } from './position-amounts.ts'
import type { PriceBounds } from './price-bounds.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePrice } from './require-price.ts'

/**
 * Value in token1, at `price`, of the tokens that a position of liquidity 1 took when it was opened at `entryPrice`.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function hodlValue(bounds: PriceBounds, entryPrice: number, price: number): number {
  requirePriceBounds(bounds)
  requirePrice(entryPrice, 'entryPrice')
  requirePrice(price, 'price')
  const { amount0, amount1 } = positionAmounts(bounds, entryPrice)
  return amount0 * price + amount1
}
