import { partialMoment } from './partial-moment.ts'
import type { PriceBounds } from './price-bounds.ts'
import type { PriceModel } from './price-model.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePriceModel } from './require-price-model.ts'

/**
 * Probability that the price lies between the bounds at the horizon, whatever it did before. Exact.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function terminalInRangeProbability(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  return partialMoment(0, bounds, model)
}
