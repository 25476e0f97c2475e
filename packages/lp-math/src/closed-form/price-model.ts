import { LpMathError, requireCount } from '../lp-math-error.ts'
import { normalCdf, inverseNormalCdf } from '../normal/normal.ts'

/** Geometric Brownian motion of a price, seen from now to a horizon. A year has 365 days. */
export type PriceModel = {
  /** The price now, token1 for one token0 in the order that the caller gave. */
  readonly price: number
  /** Volatility of a year, as a fraction: 0.8 is 80 %. */
  readonly sigma: number
  /** Growth of the expected price in a year, as a fraction. */
  readonly drift: number
  /** How far the horizon lies away, in years. */
  readonly years: number
}

/** Prices between which a position trades, in the order of the price they are compared with; 0 and Infinity hold every price. */
export type PriceBounds = { readonly lower: number; readonly upper: number }

/** Refuses what is no price: `PRICE_OUT_OF_RANGE` unless finite and positive. `field` names the argument. */
export function requirePrice(price: number, field: string): void {
  if (!(price > 0 && price < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', `${field} is a finite, positive price.`)
  }
}

/** Refuses what is no annual volatility: `SIGMA_OUT_OF_RANGE` outside 0 to 10 (1,000 %). `field` names the argument. */
export function requireSigma(sigma: number, field: string): void {
  if (!(sigma >= 0 && sigma <= 10)) {
    throw new LpMathError('SIGMA_OUT_OF_RANGE', `${field} is an annual volatility as a fraction within 0 and 10.`)
  }
}

/**
 * Refuses a model whose numbers mean nothing: a price that is not positive, a volatility outside 0 to 10 (1,000 %), a drift beyond 10 a
 * year either way, a horizon of nothing or of more than 10 years.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `SIGMA_OUT_OF_RANGE`, `DRIFT_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE`.
 */
export function requirePriceModel({ price, sigma, drift, years }: PriceModel): void {
  requirePrice(price, 'model.price')
  requireSigma(sigma, 'model.sigma')
  if (!(Math.abs(drift) <= 10)) {
    throw new LpMathError('DRIFT_OUT_OF_RANGE', 'model.drift is a fraction a year within -10 and 10.')
  }
  if (!(years > 0 && years <= 10)) throw new LpMathError('YEARS_OUT_OF_RANGE', 'model.years is above 0 and at most 10.')
}

/**
 * Refuses bounds between which no position can lie.
 * @throws LpMathError `PRICE_OUT_OF_RANGE` unless the lower bound is finite and at least 0 and the upper one positive (Infinity is one);
 * `RANGE_EMPTY` unless the lower bound is below the upper one.
 */
export function requirePriceBounds({ lower, upper }: PriceBounds): void {
  if (!(lower >= 0 && lower < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'bounds.lower is a finite price of at least 0.')
  }
  if (!(upper > 0)) throw new LpMathError('PRICE_OUT_OF_RANGE', 'bounds.upper is a positive price or Infinity.')
  if (lower >= upper) throw new LpMathError('RANGE_EMPTY', 'bounds.lower lies below bounds.upper.')
}

/**
 * The logarithm of the price at the horizon over the price now: normal, with this mean and deviation. Under geometric Brownian motion
 * it moves by (drift - sigma²/2) a year. A deviation of 0 says that the path is certain.
 */
export function logReturn({ sigma, drift, years }: PriceModel): { mean: number; deviation: number } {
  const deviation = sigma * Math.sqrt(years)
  return { mean: (drift - (sigma * sigma) / 2) * years, deviation: deviation < NOTHING ? 0 : deviation }
}

/**
 * E[S^power · 1{lower <= S < upper}] of the price S at the horizon.
 * Source: the moments of the log-normal distribution, exp(k·m + k²v²/2)·[Φ((ln upper - m)/v - k·v) - Φ((ln lower - m)/v - k·v)].
 */
export function partialMoment(power: number, { lower, upper }: PriceBounds, model: PriceModel): number {
  const { mean, deviation } = logReturn(model)
  if (deviation === 0) {
    const price = expectedPrice(model)
    return price >= lower && price < upper ? price ** power : 0
  }
  const shift = mean + power * deviation * deviation
  const share = probabilityBetween(
    (Math.log(lower / model.price) - shift) / deviation,
    (Math.log(upper / model.price) - shift) / deviation,
  )
  return model.price ** power * Math.exp(power * mean + (power * power * deviation * deviation) / 2) * share
}

/** Probability that a standard normal number lies between two bounds, with its digits in both tails. */
export function probabilityBetween(lower: number, upper: number): number {
  return lower > 0 ? normalCdf(-lower) - normalCdf(-upper) : normalCdf(upper) - normalCdf(lower)
}

/** A deviation that no price shows: such a path is taken as certain. */
const NOTHING = 1e-12

/**
 * E[S] at the horizon: price·e^(drift·years), whatever the volatility.
 * @throws LpMathError on models that mean nothing.
 */
export function expectedPrice(model: PriceModel): number {
  requirePriceModel(model)
  return model.price * Math.exp(model.drift * model.years)
}

/**
 * The price that the model stays below with a probability of 5, 25, 50, 75 and 95 % at each step to the horizon, from now on:
 * `steps + 1` prices each. Exact, because the price is log-normal.
 *
 * @throws LpMathError on models that mean nothing; `COUNT_OUT_OF_RANGE` unless steps are an integer from 1 to 1,000,000.
 */
export function priceFan(model: PriceModel, steps: number): PriceFan {
  requirePriceModel(model)
  requireCount(steps, 'steps', 1, 1_000_000)
  const { price, sigma, drift, years } = model
  const quantile = (probability: number) => {
    const z = inverseNormalCdf(probability)
    return Float64Array.from({ length: steps + 1 }, (_, step) => {
      const time = (years * step) / steps
      return price * Math.exp((drift - (sigma * sigma) / 2) * time + sigma * Math.sqrt(time) * z)
    })
  }
  return { p5: quantile(0.05), p25: quantile(0.25), p50: quantile(0.5), p75: quantile(0.75), p95: quantile(0.95) }
}

/** Percentiles of the price along the way to the horizon. */
export type PriceFan = {
  readonly p5: Float64Array
  readonly p25: Float64Array
  readonly p50: Float64Array
  readonly p75: Float64Array
  readonly p95: Float64Array
}
