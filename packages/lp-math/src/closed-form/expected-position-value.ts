import { expectedPrice } from './expected-price.ts'
import { logReturn } from './log-return.ts'
import { partialMoment } from './partial-moment.ts'
import { positionAmounts } from './position-amounts.ts'
import type { PriceBounds } from './price-bounds.ts'
import type { PriceModel } from './price-model.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePriceModel } from './require-price-model.ts'

/**
 * E[V] in token1 at the horizon, of a position of liquidity 1, fees left out. Exact: partial moments of order 0, 1/2 and 1 over the
 * prices below, within and above the bounds.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedPositionValue(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  if (logReturn(model).deviation === 0) {
    const price = expectedPrice(model)
    const { amount0, amount1 } = positionAmounts(bounds, price)
    return amount0 * price + amount1
  }
  const { lower, upper } = bounds
  const below = lower === 0 ? 0 : partialMoment(1, { lower: 0, upper: lower }, model)
  const above =
    upper === Number.POSITIVE_INFINITY ? 0 : partialMoment(0, { lower: upper, upper: Number.POSITIVE_INFINITY }, model)
  const within =
    2 * partialMoment(0.5, bounds, model) -
    Math.sqrt(lower) * partialMoment(0, bounds, model) -
    partialMoment(1, bounds, model) / Math.sqrt(upper)
  return tokensBelow(bounds) * below + within + tokensAbove(bounds) * above
}

/** The token0 that is held below the range. */
function tokensBelow(bounds: PriceBounds): number {
  return bounds.lower === 0 ? 0 : positionAmounts(bounds, bounds.lower).amount0
}

/** The token1 that is held above the range. */
function tokensAbove(bounds: PriceBounds): number {
  return bounds.upper === Number.POSITIVE_INFINITY ? 0 : positionAmounts(bounds, bounds.upper).amount1
}
