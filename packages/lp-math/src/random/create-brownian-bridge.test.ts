import { describe, expect, test } from 'vitest'
import { createBrownianBridge } from './create-brownian-bridge.ts'
import { createRandom } from './create-random.ts'

/** The path as a matrix: column by column what each normal adds. */
function columns(steps: number, deviation = 1): Float64Array[] {
  const bridge = createBrownianBridge({ steps, deviation, drift: 0 })
  return Array.from({ length: steps }, (_, unit) => {
    const path = new Float64Array(steps + 1)
    bridge.build(
      Float64Array.from({ length: steps }, (_, at) => Number(at === unit)),
      path,
    )
    return path
  })
}

describe.each([1, 2, 3, 7, 30, 64, 65, 100, 200])('%s steps', (steps) => {
  test('have the covariance of Brownian motion: the earlier of the two times', () => {
    const matrix = columns(steps, 2)
    let worst = 0
    for (let i = 0; i <= steps; i += 1) {
      for (let j = i; j <= steps; j += 1) {
        const covariance = matrix.reduce((sum, column) => sum + column[i]! * column[j]!, 0)
        worst = Math.max(worst, Math.abs(covariance - (4 * i) / steps))
      }
    }
    expect(worst).toBeLessThan(1e-12)
  })

  test('follow the drift', () => {
    const path = new Float64Array(steps + 1)
    createBrownianBridge({ steps, deviation: 1, drift: -3 }).build(new Float64Array(steps), path)
    for (const [step, value] of path.entries()) expect(value).toBeCloseTo((-3 * step) / steps, 12)
  })
})

test('the first number decides the end, and the first 64 the knots', () => {
  const matrix = columns(500)
  const { knots } = createBrownianBridge({ steps: 500, deviation: 1, drift: 0 })
  expect(knots).toHaveLength(65)
  expect(matrix.map((column) => Number(column[500] !== 0)).reduce((sum, one) => sum + one)).toBe(1)
  expect(matrix.slice(64).every((column) => knots.every((knot) => column[knot] === 0))).toBe(true)
})

test('increments of random paths are independent and of equal variance', () => {
  const steps = 130
  const bridge = createBrownianBridge({ steps, deviation: Math.sqrt(steps), drift: 0 })
  const random = createRandom(1)
  const [normals, path] = [new Float64Array(steps), new Float64Array(steps + 1)]
  let [squares, products] = [0, 0]
  const paths = 2_000
  for (let draw = 0; draw < paths; draw += 1) {
    random.fillNormals(normals, 0, steps)
    bridge.build(normals, path)
    const rises = path.subarray(1).map((value, at) => value - path[at]!)
    squares += rises.reduce((sum, rise) => sum + rise * rise, 0) / (paths * steps)
    products += rises.subarray(1).reduce((sum, rise, at) => sum + rise * rises[at]!, 0) / (paths * (steps - 1))
  }
  expect(Math.abs(squares - 1)).toBeLessThan(4 * Math.sqrt(2 / (paths * steps)))
  expect(Math.abs(products)).toBeLessThan(4 / Math.sqrt(paths * steps))
})

test.each([0, -1, 1.5, Number.NaN, 1_000_001])('%s steps are refused', (steps) => {
  expect(() => createBrownianBridge({ steps, deviation: 1, drift: 0 })).toThrow(/^steps must be an integer from 1/)
})
