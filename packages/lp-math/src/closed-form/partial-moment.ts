import { normalCdf } from '../normal/normal.ts'
import { expectedPrice, logReturn, type PriceBounds, type PriceModel } from './price-model.ts'

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
