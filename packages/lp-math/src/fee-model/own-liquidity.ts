import { positionValue } from '../closed-form/position-amounts.ts'
import type { PriceBounds } from '../closed-form/price-model.ts'
import { requireValue } from './fee-pace.ts'

/**
 * The liquidity, in whole tokens, that `valueInToken1` buys between two bounds at a price.
 * @throws LpMathError `VALUE_OUT_OF_RANGE`, `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function ownLiquidity(bounds: PriceBounds, price: number, valueInToken1: number): number {
  requireValue(valueInToken1, 'valueInToken1')
  return valueInToken1 / positionValue(bounds, price)
}
