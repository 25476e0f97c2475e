import { lossAgainstHodl } from './loss-against-hodl.ts'
import type { PriceBounds } from './price-bounds.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePrice } from './require-price.ts'

/**
 * Impermanent loss V/HODL - 1 of a position opened at `entryPrice`, as a fraction: 0 or negative. Fees are no part of it.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function impermanentLoss(bounds: PriceBounds, entryPrice: number, price: number): number {
  requirePriceBounds(bounds)
  requirePrice(entryPrice, 'entryPrice')
  requirePrice(price, 'price')
  return lossAgainstHodl(bounds, entryPrice)(price)
}
