import type { PriceModel } from './price-model.ts'

/**
 * The logarithm of the price at the horizon over the price now: normal, with this mean and deviation. Under geometric Brownian motion
 * it moves by (drift - sigma²/2) a year. A deviation of 0 says that the path is certain.
 */
export function logReturn({ sigma, drift, years }: PriceModel): { mean: number; deviation: number } {
  const deviation = sigma * Math.sqrt(years)
  return { mean: (drift - (sigma * sigma) / 2) * years, deviation: deviation < NOTHING ? 0 : deviation }
}

/** A deviation that no price shows: such a path is taken as certain. */
const NOTHING = 1e-12
