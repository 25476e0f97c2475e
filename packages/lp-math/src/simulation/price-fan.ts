import { type PriceModel, requirePriceModel } from '../closed-form/price-model.ts'
import { inverseNormalCdf } from '../normal/inverse-normal-cdf.ts'
import { requireCount } from '../lp-math-error.ts'

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
