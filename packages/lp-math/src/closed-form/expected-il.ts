import { expectedPrice } from './expected-price.ts'
import { integrate } from './integrate.ts'
import { logReturn } from './log-return.ts'
import { lossAgainstHodl } from './loss-against-hodl.ts'
import type { PriceBounds } from './price-bounds.ts'
import type { PriceModel } from './price-model.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePriceModel } from './require-price-model.ts'

/**
 * E[V/HODL - 1] over the paths to the horizon, as a fraction: 0 or negative, good to 1e-10. The integral over the terminal price is
 * split where the position leaves its bounds. It differs from {@link expectedIlOfMeans}, which divides the means.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedIl(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  const { mean, deviation } = logReturn(model)
  const loss = lossAgainstHodl(bounds, model.price)
  if (deviation === 0) return loss(expectedPrice(model))
  const integrand = (z: number): number =>
    loss(model.price * Math.exp(Math.max(mean + deviation * z, LEAST))) * normalDensity(z)
  const deviations = (bound: number): number => (Math.log(bound / model.price) - mean) / deviation
  // V/HODL turns over a move of the price by a factor of e, which is 1/deviation here.
  const panelWidth = Math.min(3, 4 / deviation)
  let from = -EDGE
  let sum = 0
  for (const bound of [deviations(bounds.lower), deviations(bounds.upper), EDGE]) {
    const to = Math.min(Math.max(bound, from), EDGE)
    if (to > from) sum += integrate(integrand, from, to, Math.ceil((to - from) / panelWidth))
    from = to
  }
  return Math.max(sum, -1)
}

/** The logarithm of a fall so deep that the loss is that of a fall to 0, whose own quotient is 0/0. */
const LEAST = -500

/** Beyond it lies 1e-17 of the normal distribution. */
const EDGE = 8.5

/** Density of the standard normal distribution at `x`. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) * ONE_OVER_SQRT_TWO_PI
}

const ONE_OVER_SQRT_TWO_PI = 0.3989422804014327
