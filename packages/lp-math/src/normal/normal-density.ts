/** Density of the standard normal distribution at `x`. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) * ONE_OVER_SQRT_TWO_PI
}

const ONE_OVER_SQRT_TWO_PI = 0.3989422804014327
