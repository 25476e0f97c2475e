import type { LogBounds } from './log-bounds.ts'

/**
 * How many of the paths that start at 0 and have these ends are to be expected to touch neither bound, each a Brownian bridge: for each
 * the sum over the images of its end in both walls. A path whose end lies beyond a bound has touched it.
 *
 * Source: D. R. Cox and H. D. Miller, "The Theory of Stochastic Processes" (1965), section 5.7; one wall alone gives the familiar
 * 1 - exp(-2 x y / variance).
 */
export function stayingPaths(ends: Float64Array, { lower, upper }: LogBounds, variance: number): number {
  if (lower >= 0 || upper <= 0) return 0
  const scale = 2 / variance
  const width = upper - lower
  // The probability is below 1e-20.
  if (width * width < 0.1 * variance) return 0
  const length = width * scale
  const step = decay(length * width * 2)
  let sum = 0
  for (let path = 0; path < ends.length; path += 1) {
    const end = ends[path] ?? 0
    if (end <= lower || end >= upper) continue
    const touchesLower = decay(-lower * scale * (end - lower))
    const touchesUpper = decay(upper * scale * (upper - end))
    const lowStep = decay(length * (width - lower + end - lower))
    const highStep = decay(length * (width + upper + upper - end))
    const upStep = decay(length * (width + end))
    const downStep = decay(length * (width - end))
    // The terms of the n-th images are n-th powers of those of the first, times step^(n(n - 1)/2).
    let [up, down, low, high] = [upStep, downStep, touchesLower * lowStep, touchesUpper * highStep]
    let stays = 1 - touchesLower - touchesUpper
    let ratio = 1
    for (let factor = 1; factor > 1e-15; factor *= ratio) {
      stays += factor * (up + down - low - high)
      up *= upStep
      down *= downStep
      low *= lowStep
      high *= highStep
      ratio *= step
    }
    sum += stays > 0 ? (stays < 1 ? stays : 1) : 0
  }
  return sum
}

/** e^-exponent, 0 from 36 on: from a table with a step of 1/64, and the series of what is left, at a quarter of the cost of `Math.exp`. */
function decay(exponent: number): number {
  if (!(exponent < 36)) return 0
  const cell = (exponent * 64) | 0
  const x = cell * 0.015625 - exponent
  const tail = 0.16666666666666666 + x * (0.041666666666666664 + x * (0.008333333333333333 + x * 0.001388888888888889))
  return (decays[cell] ?? 0) * (1 + x * (1 + x * (0.5 + x * tail)))
}

const decays = Float64Array.from({ length: 36 * 64 }, (_, cell) => Math.exp(-cell / 64))
