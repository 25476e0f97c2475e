import {
  expectedPrice,
  logReturn,
  partialMoment,
  type PriceBounds,
  type PriceModel,
  requirePriceBounds,
  requirePriceModel,
} from './price-model.ts'
import { scaledErfc } from '../normal/normal.ts'

/**
 * Probability that the price touches neither bound until the horizon, good to 1e-12: by images of the start in the two bounds where the
 * horizon is near, by the eigenfunctions of the interval where it is far. 0 where the price lies on a bound or beyond.
 * Source: Cox and Miller, The Theory of Stochastic Processes (1965), section 5.7; Borodin and Salminen (2002), part II, 2.1.15.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function stayInRangeProbability(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  const { mean, deviation } = logReturn(model)
  if (deviation === 0) return Number([model.price, expectedPrice(model)].every((price) => isWithin(price, bounds)))
  const toLower = Math.log(model.price / bounds.lower) / deviation
  const toUpper = Math.log(bounds.upper / model.price) / deviation
  if (toLower <= 0 || toUpper <= 0) return 0
  const probability = survival(toLower, toUpper, mean / deviation)
  return Math.min(Math.max(probability, 0), 1)
}

/** From here on in units of the deviation. */
function survival(toLower: number, toUpper: number, drift: number): number {
  if (toLower === Number.POSITIVE_INFINITY) return toUpper === toLower ? 1 : oneBound(toUpper, -drift)
  if (toUpper === Number.POSITIVE_INFINITY) return oneBound(toLower, drift)
  const width = toLower + toUpper
  return width > 2 ? imageSum(toLower, width, drift) : eigenSum(toLower, width, drift)
}

function isWithin(price: number, { lower, upper }: PriceBounds): boolean {
  return price >= lower && price < upper
}

/** Of a start at `x` between absorbing bounds at 0 and `width`, with unit volatility and horizon. */
function imageSum(x: number, width: number, drift: number): number {
  let sum = 0
  for (let n = -4; n <= 4; n += 1) {
    sum += image(x - 2 * n * width, x, width, drift) - image(-x - 2 * n * width, x, width, drift)
  }
  return sum
}

/** The same with the one bound at 0. */
function oneBound(x: number, drift: number): number {
  return image(x, x, Number.POSITIVE_INFINITY, drift) - image(-x, x, Number.POSITIVE_INFINITY, drift)
}

/**
 * What an image of the start at `centre` adds: e^(drift·(centre - x))·[Φ(width - centre - drift) - Φ(-centre - drift)]. The exponent
 * is joined with those of the tails, as either alone leaves the doubles.
 */
function image(centre: number, x: number, width: number, drift: number): number {
  const [from, to] = [-centre - drift, width - centre - drift]
  const fromExponent = ((x - centre) * (x + centre) - (x + drift) ** 2) / 2
  const toExponent = ((centre - x) * (2 * width - x - centre) - (width - x - drift) ** 2) / 2
  const fromTail = scaledTail(from, fromExponent)
  const toTail = to === Number.POSITIVE_INFINITY ? 0 : scaledTail(to, toExponent)
  if (from > 0) return fromTail - toTail
  return to < 0 ? toTail - fromTail : Math.exp(drift * (centre - x)) - fromTail - toTail
}

/** Probability of a standard normal number beyond `u`, on the side of `u`, times e^(exponent + u²/2). */
function scaledTail(u: number, exponent: number): number {
  return (Math.exp(exponent) * scaledErfc(Math.abs(u) * Math.SQRT1_2)) / 2
}

function eigenSum(x: number, width: number, drift: number): number {
  const lower = Math.exp(-drift * x - (drift * drift) / 2)
  const upper = Math.exp(drift * (width - x) - (drift * drift) / 2)
  let sum = 0
  for (let n = 1; n <= 8; n += 1) {
    const k = (n * Math.PI) / width
    const ends = n % 2 === 0 ? lower - upper : lower + upper
    sum += (Math.sin(k * x) * Math.exp((-k * k) / 2) * k * ends) / (drift * drift + k * k)
  }
  return (2 / width) * sum
}

/**
 * Probability that the price lies between the bounds at the horizon, whatever it did before. Exact.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function terminalInRangeProbability(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  return partialMoment(0, bounds, model)
}

/** Share of the time, 0 to 1, that a price spends between two logarithms while its own goes evenly from 0 to `move`. */
export function shareOfCertainPath(from: number, to: number, move: number): number {
  if (move === 0) return from <= 0 && to > 0 ? 1 : 0
  const [enters, leaves] = move > 0 ? [from / move, to / move] : [to / move, from / move]
  return Math.max(Math.min(leaves, 1) - Math.max(enters, 0), 0)
}

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
