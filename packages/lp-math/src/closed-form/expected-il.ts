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
import { LpMathError, requireFeePips } from '../lp-math-error.ts'
import { expectedOccupation } from './occupation.ts'
import { integrate } from './integrate.ts'
import { heldPosition, lossAgainstHodl, amountsAt, positionMinusHodl, positionValue } from './position-value.ts'

/**
 * E[V/HODL - 1] over the paths to the horizon, as a fraction: 0 or negative, good to 1e-10 of the whole, so that of a loss far smaller than
 * that, as of a range far from the price, the digits mean little. The integral over the terminal price is split where the position
 * leaves its bounds. It differs from {@link expectedIlOfMeans}, which divides the means.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedIl(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  const loss = lossAgainstHodl(bounds, model.price)
  if (logReturn(model).deviation === 0) return loss(expectedPrice(model))
  return Math.max(meanAtHorizon(loss, bounds, model, { from: -EDGE, to: EDGE }), -1)
}

/**
 * E[f(S)] of the price S at the horizon, over `within` in deviations of its logarithm; f is smooth but at the bounds of a position, where
 * the integral is split. The deviation is not 0.
 */
function meanAtHorizon(
  f: (price: number) => number,
  bounds: PriceBounds,
  model: PriceModel,
  within: { readonly from: number; readonly to: number },
): number {
  const { mean, deviation } = logReturn(model)
  const integrand = (z: number): number =>
    f(model.price * Math.exp(Math.max(mean + deviation * z, LEAST))) * normalDensity(z)
  const deviations = (bound: number): number => (Math.log(bound / model.price) - mean) / deviation
  // V/HODL turns over a move of the price by a factor of e, which is 1/deviation here.
  const panelWidth = Math.min(3, 4 / deviation)
  let { from } = within
  let sum = 0
  for (const bound of [deviations(bounds.lower), deviations(bounds.upper), within.to]) {
    const to = Math.min(Math.max(bound, from), within.to)
    if (to > from) sum += integrate(integrand, from, to, Math.ceil((to - from) / panelWidth))
    from = to
  }
  return sum
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
 * E[HODL] in token1 at the horizon: what the tokens that a position of liquidity 1 took at the price of the model are expected to be worth.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedHodlValue(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  const { amount0, amount1 } = amountsAt(bounds, model.price)
  return amount0 * expectedPrice(model) + amount1
}

/**
 * E[V]/E[HODL] - 1 at the horizon, as a fraction: how much less the position is expected to be worth than its tokens, good to 1e-10 of
 * itself below a deviation of 1 (sigma·√years), else to 1e-12 of the whole. It is not {@link expectedIl}, the expected loss of a path,
 * which the tools report.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedIlOfMeans(bounds: PriceBounds, model: PriceModel): number {
  const hodl = expectedHodlValue(bounds, model)
  const position = heldPosition(bounds, model.price)
  const { deviation } = logReturn(model)
  if (deviation > 1) return expectedPositionValue(bounds, model) / hodl - 1
  const loss = (price: number): number => positionMinusHodl(position, price)
  if (deviation === 0) return loss(expectedPrice(model)) / hodl + 0
  // Of the two means one by one the digits of a small difference would be gone.
  return meanAtHorizon(loss, bounds, model, { from: -EDGE, to: EDGE + deviation }) / hodl
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
 * The annual volatility at which the LVR of a full range, sigma²/8 of its value a year, eats the fees, which are `feeYield` of its value a
 * year; both as fractions.
 * Source: Milionis et al. (2022); see {@link lvrRate}.
 * @throws LpMathError `FEE_OUT_OF_RANGE` unless finite and at least 0.
 */
export function breakEvenSigma(feeYield: number): number {
  if (!(feeYield >= 0 && feeYield < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('FEE_OUT_OF_RANGE', 'feeYield is a finite fraction of at least 0.')
  }
  return Math.sqrt(8 * feeYield)
}

/**
 * E[V] in token1 at the horizon, of a position of liquidity 1, fees left out, good to 1e-12 of itself: partial moments of order 0, 1/2 and
 * 1 over the prices below, within and above the bounds; within a range narrower than a percent, where they cancel, the integral of V.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedPositionValue(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  if (logReturn(model).deviation === 0) return positionValue(bounds, expectedPrice(model))
  const { lower, upper } = bounds
  const below = lower === 0 ? 0 : partialMoment(1, { lower: 0, upper: lower }, model)
  const above =
    upper === Number.POSITIVE_INFINITY ? 0 : partialMoment(0, { lower: upper, upper: Number.POSITIVE_INFINITY }, model)
  return tokensBelow(bounds) * below + valueWithin(bounds, model) + tokensAbove(bounds) * above
}

/** E[V · 1{S within the bounds}]. */
function valueWithin(bounds: PriceBounds, model: PriceModel): number {
  const { lower, upper } = bounds
  if (upper > lower * NARROW) {
    return (
      2 * partialMoment(0.5, bounds, model) -
      Math.sqrt(lower) * partialMoment(0, bounds, model) -
      partialMoment(1, bounds, model) / Math.sqrt(upper)
    )
  }
  const { mean, deviation } = logReturn(model)
  const [from, to] = [lower, upper].map((bound) => {
    const deviations = (Math.log(bound / model.price) - mean) / deviation
    return Math.min(Math.max(deviations, -FAR), FAR)
  })
  return meanAtHorizon((price) => positionValue(bounds, price), bounds, model, { from: from ?? 0, to: to ?? 0 })
}

const NARROW = 1.01

/** In deviations: beyond it a price within the bounds adds nothing to what those outside of them are worth. */
const FAR = 9

/** The token0 that is held below the range. */
function tokensBelow(bounds: PriceBounds): number {
  return bounds.lower === 0 ? 0 : amountsAt(bounds, bounds.lower).amount0
}

/** The token1 that is held above the range. */
function tokensAbove(bounds: PriceBounds): number {
  return bounds.upper === Number.POSITIVE_INFINITY ? 0 : amountsAt(bounds, bounds.upper).amount1
}

/**
 * The part of LVR that arbitrageurs keep, 0 to 1; the rest they pay to the pool as fees: 1/(1 + fee/(sigma·√(dt/2))), where blocks come
 * at random every dt on average and are short. `sigma` is annual.
 * Source: Milionis, Moallemi, Roughgarden, "Automated Market Making and Arbitrage Profits in the Presence of Fees" (2023).
 * @throws LpMathError `FEE_OUT_OF_RANGE`, `SIGMA_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE` (a block of no time or above a year).
 */
export function arbitrageShare({ feePips, sigma, blockSeconds }: ArbitrageShareOptions): number {
  requireSigma(sigma, 'sigma')
  requireFeePips(feePips)
  if (!(blockSeconds > 0 && blockSeconds <= SECONDS_OF_YEAR)) {
    throw new LpMathError('YEARS_OUT_OF_RANGE', 'blockSeconds is above 0 and at most a year.')
  }
  if (feePips === 0) return 1
  const blockDeviation = sigma * Math.sqrt(blockSeconds / SECONDS_OF_YEAR / 2)
  return blockDeviation / (blockDeviation + feePips / 1e6)
}

/** What {@link arbitrageShare} is asked of. */
export type ArbitrageShareOptions = {
  /** Of a swap, in millionths of the input: 3000 is 30 bp. */
  readonly feePips: number
  readonly sigma: number
  readonly blockSeconds: number
}

const SECONDS_OF_YEAR = 365 * 86_400
