import { type PriceBounds, type PriceModel, requirePriceBounds, requirePriceModel } from './price-model.ts'

/**
 * Mean time in years until the price first touches a bound; the horizon of the model plays no part. 0 where the price lies on a bound or
 * beyond, Infinity where the price may stay away from the bounds for ever or returns too seldom for a mean.
 * Source: Borodin and Salminen, Handbook of Brownian Motion (2002), part II, 3.0.1 and 2.0.1 (mean exit time and mean hitting time).
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedExitYears(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  const { price, sigma } = model
  const variance = sigma * sigma
  const drift = model.drift - variance / 2
  const toLower = Math.log(price / bounds.lower)
  const toUpper = Math.log(bounds.upper / price)
  if (toLower <= 0 || toUpper <= 0) return 0
  const ahead = drift > 0 ? toUpper : toLower
  const behind = drift > 0 ? toLower : toUpper
  if (ahead === Number.POSITIVE_INFINITY) return ahead
  if (behind === Number.POSITIVE_INFINITY || variance === 0)
    return drift === 0 ? Number.POSITIVE_INFINITY : ahead / Math.abs(drift)
  return meanExit(behind, ahead + behind, Math.abs(drift), variance)
}

/** Of a start at `x` between 0 and `width`, with a drift of at least 0 towards `width`. */
function meanExit(x: number, width: number, drift: number, variance: number): number {
  const rate = (2 * drift) / variance
  if (rate * width < SLOW) {
    const correction = 1 + (rate * (width - 2 * x)) / 6 - (rate * rate * x * (width - x)) / 12
    return ((x * (width - x)) / variance) * correction
  }
  return ((width * Math.expm1(-rate * x)) / Math.expm1(-rate * width) - x) / drift
}

/** Below it the two terms agree in too many digits, and the series in the drift is exact. */
const SLOW = 1e-4
