import { expectedPrice } from './expected-price.ts'
import { expectedPositionValue } from './expected-position-value.ts'
import { positionAmounts } from './position-amounts.ts'
import type { PriceBounds } from './price-bounds.ts'
import type { PriceModel } from './price-model.ts'

/**
 * E[V]/E[HODL] - 1 at the horizon, as a fraction: how much less the position is expected to be worth than its tokens. It is not
 * {@link expectedIl}, the expected loss of a path, which the tools report.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedIlOfMeans(bounds: PriceBounds, model: PriceModel): number {
  const value = expectedPositionValue(bounds, model)
  const { amount0, amount1 } = positionAmounts(bounds, model.price)
  return value / (amount0 * expectedPrice(model) + amount1) - 1
}
