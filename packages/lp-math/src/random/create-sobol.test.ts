import { describe, expect, test } from 'vitest'
import { createSobol, MAX_SOBOL_DIMENSIONS } from './create-sobol.ts'

/** The first points as fractions of the unit cube. */
function points(count: number, options: Parameters<typeof createSobol>[0]): number[][] {
  const sobol = createSobol(options)
  return Array.from({ length: count }, () => Array.from(sobol.next(), (word) => word / 2 ** 32))
}

test('the bare sequence has the points of the published direction numbers', () => {
  const bare = points(101, { dimensions: MAX_SOBOL_DIMENSIONS, seed: null })
  const some = (index: number) => [0, 1, 2, 5, 20, 40, 63].map((dimension) => bare[index]![dimension])
  expect(bare[0]).toEqual(Array.from({ length: 64 }, () => 0))
  expect(some(2)).toEqual([0.75, 0.25, 0.25, 0.75, 0.25, 0.25, 0.75])
  expect(some(5)).toEqual([0.875, 0.875, 0.125, 0.625, 0.625, 0.375, 0.625])
  expect(some(77)).toEqual([0.8359375, 0.8359375, 0.0078125, 0.5078125, 0.1484375, 0.8203125, 0.8828125])
  expect(some(100)).toEqual([0.4140625, 0.2578125, 0.7734375, 0.7421875, 0.7578125, 0.7109375, 0.6484375])
})

describe('the scrambled sequence', () => {
  const scrambled = points(1_024, { dimensions: 64, seed: 9 })

  test('keeps one point in each of 1,024 strata of every dimension', () => {
    for (let dimension = 0; dimension < 64; dimension += 1) {
      expect(new Set(scrambled.map((point) => Math.floor(point[dimension]! * 1_024))).size).toBe(1_024)
    }
  })

  test('keeps one point in each box of the first two dimensions, whatever the shape of the boxes', () => {
    for (let wide = 0; wide <= 10; wide += 1) {
      const boxes = scrambled.map(
        ([x = 0, y = 0]) => `${Math.floor(x * 2 ** wide)} ${Math.floor(y * 2 ** (10 - wide))}`,
      )
      expect(new Set(boxes).size).toBe(1_024)
    }
  })

  test('is the same for the same seed and stream, and other for another', () => {
    const first = (seed: number, stream?: number) => String(points(3, { dimensions: 5, seed, stream }))
    expect(first(1)).toBe(first(1, 0))
    expect(new Set([first(1), first(2), first(1, 1)]).size).toBe(3)
  })

  test('has the same points column by column, in portions of any size', () => {
    const sobol = createSobol({ dimensions: 64, seed: 9 })
    let first = 0
    for (const count of [1, 6, 300, 717]) {
      const columns = new Uint32Array(64 * count)
      sobol.fillColumns(columns, count)
      const fractions = Array.from({ length: count }, (_, point) =>
        Array.from({ length: 64 }, (__, dimension) => columns[dimension * count + point]! / 2 ** 32),
      )
      expect(fractions).toEqual(scrambled.slice(first, first + count))
      first += count
    }
  })

  test('has uniform points over the scrambles: their first points scatter evenly', () => {
    const firsts = Array.from({ length: 1_000 }, (_, stream) => points(3, { dimensions: 2, seed: 4, stream })[2]![1]!)
    const cells = new Float64Array(20)
    for (const value of firsts) cells[Math.floor(20 * value)]! += 1
    expect(cells.reduce((sum, seen) => sum + (seen - 50) ** 2 / 50, 0)).toBeLessThan(48) // 19 degrees of freedom
  })
})

test.each([0, 65, 1.5, Number.NaN])('%s dimensions are refused', (dimensions) => {
  expect(() => createSobol({ dimensions, seed: 1 })).toThrow(/^dimensions must be an integer from 1 to 64/)
})
