import { expect, test } from 'vitest'
import { createBrownianBridge } from '../random/create-brownian-bridge.ts'
import { createRandom } from '../random/create-random.ts'
import { createStayingPaths, type LogBounds } from './create-occupancy.ts'

/** Each path by itself, without a table: that one holds what lies within reach. */
function stayingPaths(ends: Float64Array, bounds: LogBounds, variance: number): number {
  const reach = { from: 0, to: 0 }
  return createStayingPaths({ bounds, variance, reach })(ends)
}

/** Of one path, told by the distances of its ends from the walls. */
function bridgeStays(fromLower: number, toLower: number, fromUpper: number, toUpper: number, variance: number): number {
  const end = Number.isFinite(fromLower) ? toLower - fromLower : fromUpper - toUpper
  return stayingPaths(Float64Array.of(end), { lower: -fromLower, upper: fromUpper }, variance)
}

test('one wall alone gives 1 - exp(-2 x y / variance)', () => {
  const far = Number.POSITIVE_INFINITY
  expect(bridgeStays(0.1, 0.3, far, far, 0.04)).toBeCloseTo(1 - Math.exp((-2 * 0.1 * 0.3) / 0.04), 14)
  expect(bridgeStays(far, far, 0.1, 0.3, 0.04)).toBeCloseTo(1 - Math.exp((-2 * 0.1 * 0.3) / 0.04), 14)
})

test('a bridge may be cut in two wherever it passes: the probability of the whole is the mean over the place of the cut', () => {
  const [start, end, width, variance] = [0.3, 0.5, 1, 1]
  const halves = variance / 4
  let sum = 0
  const cells = 4_000
  for (let cell = 0; cell < cells; cell += 1) {
    const middle = (cell + 0.5) / cells
    const density = Math.exp(-((middle - (start + end) / 2) ** 2) / (2 * halves)) / Math.sqrt(2 * Math.PI * halves)
    const first = bridgeStays(start, middle, width - start, width - middle, variance / 2)
    sum += (density * first * bridgeStays(middle, end, width - middle, width - end, variance / 2)) / cells
  }
  expect(bridgeStays(start, end, width - start, width - end, variance)).toBeCloseTo(sum, 7)
})

test('lies a little below what a path of many steps sees', () => {
  const steps = 512
  const bridge = createBrownianBridge({ steps, deviation: 1, drift: 0 })
  const random = createRandom(1)
  const [normals, path] = [new Float64Array(steps), new Float64Array(steps + 1)]
  const paths = 4_000
  let stayed = 0
  for (let draw = 0; draw < paths; draw += 1) {
    random.fillNormals(normals, 0, steps)
    normals[0] = 0.25
    bridge.build(normals, path)
    if (path.every((value) => value > -0.8 && value < 0.9)) stayed += 1
  }
  // Broadie, Glasserman and Kou 1997: looking at steps alone is like walls 0.5826 deviations of a step further out.
  const shift = 0.5826 / Math.sqrt(steps)
  const seen = bridgeStays(0.8 + shift, 1.05 + shift, 0.9 + shift, 0.65 + shift, 1)
  expect(Math.abs(stayed / paths - seen)).toBeLessThan(4 * Math.sqrt((seen * (1 - seen)) / paths))
  expect(bridgeStays(0.8, 1.05, 0.9, 0.65, 1)).toBeLessThan(seen - 0.02)
})

test.each([1e-12, 1e-3, 1, 10, 1e9])('is a probability at a variance of %s', (variance) => {
  const value = bridgeStays(0.5, 0.4, 0.5, 0.6, variance)
  expect(value).toBeGreaterThanOrEqual(0)
  expect(value).toBeLessThanOrEqual(1)
})

test('adds up over paths; one that ends on a wall or beyond has touched it, and so has one that starts there', () => {
  const [bounds, variance] = [{ lower: -0.2, upper: 0.3 }, 0.04]
  const ends = [-0.1, 0, 0.25]
  const apart = ends.reduce((sum, end) => sum + stayingPaths(Float64Array.of(end), bounds, variance), 0)
  expect(stayingPaths(Float64Array.of(-0.2, -0.3, ...ends, 0.3, 0.4), bounds, variance)).toBeCloseTo(apart, 14)
  expect(stayingPaths(Float64Array.of(0.1), { lower: 0, upper: 0.3 }, variance)).toBe(0)
  const everywhere = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY }
  expect(stayingPaths(Float64Array.from(ends), everywhere, variance)).toBe(3)
  expect(stayingPaths(Float64Array.from(ends), bounds, 0)).toBe(3)
})

test.each([
  [-0.1, 0.09, 0.05],
  [-0.69, 0.41, 0.05],
  [-0.03, 0.6, 0.01],
  [-0.05, 0.05, 1e-4],
  [Number.NEGATIVE_INFINITY, 0.3, 0.4],
])('between %d and %d, at a variance of %d, is interpolated to 1e-8', (lower, upper, variance) => {
  const reach = { from: -8 * Math.sqrt(variance), to: 8 * Math.sqrt(variance) }
  const staying = createStayingPaths({ bounds: { lower, upper }, variance, reach })
  const [from, to] = [Math.max(lower, reach.from), Math.min(upper, reach.to)]
  const apart = Array.from({ length: 3_000 }, (_, part) => {
    const end = Float64Array.of(from + ((part + 0.5) / 3_000) * (to - from))
    return Math.abs(staying(end) - stayingPaths(end, { lower, upper }, variance))
  })
  expect(Math.max(...apart)).toBeLessThan(1e-8)
})
