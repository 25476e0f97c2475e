import type { LogBounds } from './create-occupancy.ts'

/**
 * The function that tells how many of the paths that start at 0 and have these ends are to be expected to touch neither bound, each a
 * Brownian bridge. A path whose end lies beyond a bound has touched it. The probability is a smooth function of the end, so that it
 * is computed at some ends and interpolated between them, to 1e-8, unless the walls are so far apart that it is 1 but near them.
 *
 * @param variance - of the end
 * @param reach - where nearly all ends lie
 */
export function createStayingPaths({ bounds, variance, reach }: StayingPathsOptions): (ends: Float64Array) => number {
  const { lower, upper } = bounds
  if (lower >= 0 || upper <= 0) return () => 0
  if (upper - lower === Number.POSITIVE_INFINITY && upper === -lower) return (ends) => ends.length
  const [from, to] = [Math.max(lower, reach.from), Math.min(upper, reach.to)]
  const probability = stayProbability(bounds, variance)
  const steepest = (2 / variance) * Math.min(upper - lower, Math.max(-lower, upper))
  const cells = Math.ceil((to - from) * steepest * cellsToDecay)
  const table = cells > 0 && cells <= mostCells ? cubics(probability, from, (to - from) / cells, cells) : null
  const scale = cells / (to - from)
  return (ends) => {
    let sum = 0
    for (let path = 0; path < ends.length; path += 1) {
      const end = ends[path] ?? 0
      if (table === null || !(end >= from && end < to)) {
        sum += probability(end)
        continue
      }
      const place = (end - from) * scale
      const cell = place | 0
      const at = 4 * cell
      const x = place - cell
      const upperHalf = (table[at + 2] ?? 0) + x * (table[at + 3] ?? 0)
      sum += (table[at] ?? 0) + x * ((table[at + 1] ?? 0) + x * upperHalf)
    }
    return sum
  }
}

export type StayingPathsOptions = {
  readonly bounds: LogBounds
  readonly variance: number
  readonly reach: { readonly from: number; readonly to: number }
}

/** While the steepest of the exponentials falls to 1/e. */
const cellsToDecay = 16
/** The nearest cache holds them. */
const mostCells = 1_024

/** The coefficients of the cubic through four values of each cell, two of them at its ends. */
function cubics(value: (x: number) => number, from: number, width: number, cells: number): Float64Array {
  const table = new Float64Array(4 * cells)
  let last = value(from)
  for (let cell = 0; cell < cells; cell += 1) {
    const a = last
    const b = value(from + (cell + 1 / 3) * width)
    const c = value(from + (cell + 2 / 3) * width)
    const d = value(from + (cell + 1) * width)
    table.set([a, (-11 * a + 18 * b - 9 * c + 2 * d) / 2, (18 * a - 45 * b + 36 * c - 9 * d) / 2], 4 * cell)
    table[4 * cell + 3] = (9 * (d - a) + 27 * (b - c)) / 2
    last = d
  }
  return table
}

/**
 * That a bridge from 0 to an end touches neither bound: the sum over the images of the end in both.
 *
 * Source: D. R. Cox and H. D. Miller, "The Theory of Stochastic Processes" (1965), section 5.7; one wall alone gives the familiar
 * 1 - exp(-2 x y / variance).
 */
function stayProbability({ lower, upper }: LogBounds, variance: number): (end: number) => number {
  const scale = 2 / variance
  const width = upper - lower
  // The probability is below 1e-20.
  if (width * width < 0.1 * variance) return () => 0
  const length = width * scale
  const step = decay(length * width * 2)
  return (end) => {
    if (end <= lower || end >= upper) return 0
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
    return stays > 0 ? (stays < 1 ? stays : 1) : 0
  }
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
