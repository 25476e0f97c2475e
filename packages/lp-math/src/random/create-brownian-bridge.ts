import { MAX_SOBOL_DIMENSIONS } from './create-sobol.ts'
import { requireCount } from '../lp-math-error.ts'

/**
 * Builds Brownian paths in order of importance: the end from the first number, then midpoints, each from the next number, so that
 * the first numbers (those of a low-discrepancy sequence) decide nearly all of a path. Beyond 64 steps the bisection ends at 64
 * knots, and the points between two knots follow one another, each conditioned on the knot ahead.
 *
 * Sources: P. Glasserman, "Monte Carlo Methods in Financial Engineering" (2003), section 3.1; R. E. Caflisch and B. Moskowitz 1995.
 *
 * @param steps - of equal length, from 1 to 1,000,000
 * @param deviation - standard deviation at the end
 * @param drift - mean at the end
 * @throws LpMathError `COUNT_OUT_OF_RANGE`
 */
export function createBrownianBridge({ steps, deviation, drift }: BrownianBridgeOptions): BrownianBridge {
  requireCount(steps, 'steps', 1, 1_000_000)
  const knots = knotsOf(steps)
  const bisect = bisecting(knots, deviation)
  const fill = knots.length - 1 === steps ? null : filling(knots, deviation)
  const build = (normals: Float64Array, path: Float64Array) => {
    path[0] = 0
    path[steps] = drift + deviation * (normals[0] ?? 0)
    bisect(normals, path)
    fill?.(normals, path)
  }
  return { knots, build }
}

/** How many steps a path has, its deviation at the end, and its drift to there. */
export type BrownianBridgeOptions = { readonly steps: number; readonly deviation: number; readonly drift: number }

/** A path of Brownian motion made of normal numbers, coarse to fine: the first of them decides most of it. */
export type BrownianBridge = {
  /** The steps that the leading numbers decide, 0 and the last step included. */
  readonly knots: Int32Array
  /** From `steps` independent normals to the path at 0, 1, … `steps`. */
  build(normals: Float64Array, path: Float64Array): void
}

/**
 * The order in which a Brownian path is laid through its knots once its ends are known, breadth first: the middle knot of each interval
 * between knots that are known, the longest intervals before the shorter.
 *
 * @param knots - rising steps, the first of them 0, the last the end
 * @param deviation - standard deviation at the end
 */
export function bisection(steps: Int32Array, deviation: number): Bisection {
  const end = steps.at(-1) ?? 0
  const count = steps.length - 2
  const knots = new Int32Array(3 * Math.max(count, 0))
  const weights = new Float64Array(2 * Math.max(count, 0))
  const intervals: [number, number][] = [[0, count + 1]]
  let row = 0
  for (const [first, last] of intervals) {
    if (last - first < 2) continue
    const middle = (first + last) >> 1
    const [left = 0, point = 0, right = 0] = [first, middle, last].map((knot) => steps[knot])
    knots.set([first, middle, last], 3 * row)
    weights[2 * row] = (point - left) / (right - left)
    weights[2 * row + 1] = deviation * Math.sqrt(((point - left) * (right - point)) / ((right - left) * end))
    intervals.push([first, middle], [middle, last])
    row += 1
  }
  return { knots, weights }
}

function knotsOf(steps: number): Int32Array {
  const count = Math.min(steps, MAX_SOBOL_DIMENSIONS)
  return Int32Array.from({ length: count + 1 }, (_, knot) => Math.round((knot * steps) / count))
}

function bisecting(knots: Int32Array, deviation: number) {
  const { knots: at, weights } = bisection(knots, deviation)
  const places = at.map((knot) => knots[knot] ?? 0)
  const count = knots.length - 2
  return (normals: Float64Array, path: Float64Array) => {
    for (let row = 0; row < count; row += 1) {
      const left = path[places[3 * row] ?? 0] ?? 0
      const right = path[places[3 * row + 2] ?? 0] ?? 0
      const mean = left + (right - left) * (weights[2 * row] ?? 0)
      path[places[3 * row + 1] ?? 0] = mean + (weights[2 * row + 1] ?? 0) * (normals[row + 1] ?? 0)
    }
  }
}

function filling(knots: Int32Array, deviation: number) {
  const steps = knots.at(-1) ?? 0
  const longest = Math.ceil(steps / (knots.length - 1)) + 1
  const share = Float64Array.from({ length: longest + 1 }, (_, left) => (left === 0 ? 0 : 1 / left))
  const keep = share.map((ahead) => 1 - ahead)
  const scatter = share.map((ahead) => deviation * Math.sqrt((1 - ahead) / steps))
  return (normals: Float64Array, path: Float64Array) => {
    let next = knots.length - 1
    let end = 0
    for (let knot = 1; knot < knots.length; knot += 1) {
      let step = end + 1
      let value = path[end] ?? 0
      end = knots[knot] ?? 0
      const target = path[end] ?? 0
      for (let left = end - step + 1; left > 1; left -= 1) {
        const ahead = target * (share[left] ?? 0) + (scatter[left] ?? 0) * (normals[next] ?? 0)
        value = value * (keep[left] ?? 0) + ahead
        path[step] = value
        next += 1
        step += 1
      }
    }
  }
}

type Bisection = {
  /** Row by row three indices of knots: one that is known, the one that is laid, one that is known. */
  readonly knots: Int32Array
  /** Row by row how far the laid knot stands from the first to the second known one, and its deviation, given them. */
  readonly weights: Float64Array
}
