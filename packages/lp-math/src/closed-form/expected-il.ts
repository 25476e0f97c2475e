import {
  expectedPrice,
  logReturn,
  partialMoment,
  type PriceBounds,
  type PriceModel,
  requirePrice,
  requirePriceBounds,
  requirePriceModel,
  requireSigma,
} from './price-model.ts'
import { LpMathError } from '../lp-math-error.ts'
import { expectedOccupation } from './occupation-density.ts'
import { integrate } from './integrate.ts'
import { lossAgainstHodl, positionAmounts } from './position-value.ts'

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

/**
 * Expected loss versus rebalancing from now to the horizon of a position of liquidity 1, in token1: the integral of sigma²/4·√price over
 * the expected time at each price. Without drift it equals V - E[V at the horizon], the expected loss against holding.
 * Source: Milionis, Moallemi, Roughgarden, Zhang, "Automated Market Making and Loss-Versus-Rebalancing" (2022).
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedLvr(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  const { price, sigma, drift, years } = model
  if (logReturn(model).deviation === 0) return 0
  const [from, to] = [Math.log(bounds.lower / price) / sigma, Math.log(bounds.upper / price) / sigma]
  const time = expectedOccupation(from, to, { drift: drift / sigma - sigma / 2, years, tilt: sigma / 2 })
  return ((sigma * sigma) / 4) * Math.sqrt(price) * time
}

/**
 * Loss versus rebalancing that a position of liquidity 1 makes at a price, in token1 a year: sigma²/4·√price within the bounds, else 0.
 * Source: Milionis, Moallemi, Roughgarden, Zhang, "Automated Market Making and Loss-Versus-Rebalancing" (2022), -sigma²·P²·V''(P)/2.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`, `SIGMA_OUT_OF_RANGE`.
 */
export function lvrRate(bounds: PriceBounds, price: number, sigma: number): number {
  requirePriceBounds(bounds)
  requirePrice(price, 'price')
  requireSigma(sigma, 'sigma')
  return price >= bounds.lower && price < bounds.upper ? ((sigma * sigma) / 4) * Math.sqrt(price) : 0
}

/**
 * The annual volatility, as a fraction, at which the LVR of a full range, sigma²/8 of its value a year, eats a fee yield of `feeApr` percent.
 * Source: Milionis et al. (2022); see {@link lvrRate}.
 * @throws LpMathError `FEE_OUT_OF_RANGE` unless finite and at least 0.
 */
export function breakEvenSigma(feeApr: number): number {
  if (!(feeApr >= 0 && feeApr < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('FEE_OUT_OF_RANGE', 'feeApr is a finite percentage of at least 0.')
  }
  return Math.sqrt((8 * feeApr) / 100)
}

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
