import type { PriceBounds, PriceModel } from './price-model.ts'

/** Bounds and models of every kind: ranges that miss the price, one tick wide, one-sided, full; minutes and years; calm and wild. */
export const CASES: readonly (readonly [string, PriceBounds, PriceModel])[] = [
  ['around the price, a month', { lower: 0.9, upper: 1.1 }, { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 }],
  ['lopsided with drift', { lower: 2500, upper: 3100 }, { price: 3000, sigma: 0.6, drift: 0.4, years: 0.25 }],
  ['below the price', { lower: 0.7, upper: 0.95 }, { price: 1, sigma: 0.8, drift: 0, years: 0.5 }],
  ['above the price', { lower: 1.05e-12, upper: 2e-12 }, { price: 1e-12, sigma: 1.2, drift: -0.3, years: 0.5 }],
  ['one tick', { lower: 0.99995, upper: 1.00005 }, { price: 1, sigma: 0.5, drift: 0, years: 30 / 365 }],
  ['minutes', { lower: 0.9999e18, upper: 1.0002e18 }, { price: 1e18, sigma: 0.05, drift: 0, years: 5 / 525_600 }],
  ['wild', { lower: 0.2, upper: 6 }, { price: 1, sigma: 5, drift: 0, years: 1 }],
  ['years', { lower: 1e-18, upper: 3e-18 }, { price: 2e-18, sigma: 0.3, drift: 0.045, years: 5 }],
  ['no upper bound', { lower: 0.8, upper: Number.POSITIVE_INFINITY }, { price: 1, sigma: 0.7, drift: 0, years: 1 }],
  ['no lower bound', { lower: 0, upper: 1.2 }, { price: 1, sigma: 0.7, drift: 0.5, years: 1 }],
  ['full range', { lower: 0, upper: Number.POSITIVE_INFINITY }, { price: 1800, sigma: 0.9, drift: 0.1, years: 1 }],
  ['driven through', { lower: 1.2, upper: 1.4 }, { price: 1, sigma: 0.01, drift: 0.5, years: 1 }],
]

/** Bounds and models that mean nothing, with the code that refuses them. */
export const SENSELESS: readonly (readonly [Partial<PriceBounds & PriceModel>, string])[] = [
  [{ lower: 2, upper: 2 }, 'RANGE_EMPTY'],
  [{ lower: 3, upper: 2 }, 'RANGE_EMPTY'],
  [{ lower: -1 }, 'PRICE_OUT_OF_RANGE'],
  [{ lower: Number.NaN }, 'PRICE_OUT_OF_RANGE'],
  [{ lower: Number.POSITIVE_INFINITY, upper: Number.POSITIVE_INFINITY }, 'PRICE_OUT_OF_RANGE'],
  [{ upper: Number.NaN }, 'PRICE_OUT_OF_RANGE'],
  [{ price: 0 }, 'PRICE_OUT_OF_RANGE'],
  [{ price: Number.POSITIVE_INFINITY }, 'PRICE_OUT_OF_RANGE'],
  [{ sigma: -0.1 }, 'SIGMA_OUT_OF_RANGE'],
  [{ sigma: 10.1 }, 'SIGMA_OUT_OF_RANGE'],
  [{ sigma: Number.NaN }, 'SIGMA_OUT_OF_RANGE'],
  [{ drift: Number.NaN }, 'DRIFT_OUT_OF_RANGE'],
  [{ drift: 11 }, 'DRIFT_OUT_OF_RANGE'],
  [{ years: 0 }, 'YEARS_OUT_OF_RANGE'],
  [{ years: 10.5 }, 'YEARS_OUT_OF_RANGE'],
  [{ years: Number.NaN }, 'YEARS_OUT_OF_RANGE'],
]

/** Prices of plain random paths at equal steps, the start first; the same for the same seed. */
export function* randomPaths(model: PriceModel, { paths, steps, seed }: PathOptions): Generator<Float64Array> {
  const normal = seededNormal(seed)
  const dt = model.years / steps
  for (let path = 0; path < paths; path += 1) {
    const prices = new Float64Array(steps + 1)
    let log = Math.log(model.price)
    prices[0] = model.price
    for (let step = 1; step <= steps; step += 1) {
      log += (model.drift - model.sigma ** 2 / 2) * dt + model.sigma * Math.sqrt(dt) * normal()
      prices[step] = Math.exp(log)
    }
    yield prices
  }
}

type PathOptions = { readonly paths: number; readonly steps: number; readonly seed: number }

/** Box and Muller over a multiplicative generator. */
export function seededNormal(seed: number): () => number {
  const uniform = seededUniform(seed)
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

/** Numbers between 0 and 1, by Park and Miller's generator. */
export function seededUniform(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
