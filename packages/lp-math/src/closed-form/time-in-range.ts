import { expectedOccupation } from './expected-occupation.ts'
import { logReturn } from './log-return.ts'
import type { PriceBounds } from './price-bounds.ts'
import type { PriceModel } from './price-model.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePriceModel } from './require-price-model.ts'
import { shareOfCertainPath } from './share-of-certain-path.ts'

/**
 * Expected share of the time to the horizon, 0 to 1, that the price spends between the bounds, good to 1e-12.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function timeInRange(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  const { price, sigma, drift, years } = model
  const [from, to] = [Math.log(bounds.lower / price), Math.log(bounds.upper / price)]
  if (logReturn(model).deviation === 0) return shareOfCertainPath(from, to, drift * years)
  const options = { drift: drift / sigma - sigma / 2, years, tilt: 0 }
  return Math.min(expectedOccupation(from / sigma, to / sigma, options) / years, 1)
}
