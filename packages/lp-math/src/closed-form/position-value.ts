import { positionAmounts } from './position-amounts.ts'
import type { PriceBounds } from './price-bounds.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePrice } from './require-price.ts'

/**
 * Value in token1 of a position of liquidity 1 at a price.
 * Source: Uniswap v3 whitepaper, equations 6.29 and 6.30.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function positionValue(bounds: PriceBounds, price: number): number {
  requirePriceBounds(bounds)
  requirePrice(price, 'price')
  const { amount0, amount1 } = positionAmounts(bounds, price)
  return amount0 * price + amount1
}
