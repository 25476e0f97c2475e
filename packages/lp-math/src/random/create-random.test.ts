import { describe, expect, test } from 'vitest'
import { normalCdf } from '../normal/normal.ts'
import { createRandom } from './create-random.ts'

const count = 200_000

function normals(seed: number, stream = 0): Float64Array {
  const drawn = new Float64Array(count)
  createRandom(seed, stream).fillNormals(drawn, 0, count)
  return drawn
}

function mean(values: Iterable<number>): number {
  let [sum, terms] = [0, 0]
  for (const value of values) [sum, terms] = [sum + value, terms + 1]
  return sum / terms
}

describe('a seed', () => {
  test('gives the same numbers again, and other numbers to another seed or stream', () => {
    const numbers = (seed: number, stream?: number) => {
      const random = createRandom(seed, stream)
      return [random.uint32(), random.uniform(), random.normal(), random.uint32()]
    }
    expect(numbers(7)).toEqual(numbers(7, 0))
    expect(new Set([numbers(7), numbers(8), numbers(7, 1), numbers(0, 7)].map(String)).size).toBe(4)
  })

  test('keeps its numbers from version to version', () => {
    const random = createRandom(1)
    expect([random.uint32(), random.uint32(), random.uint32()]).toMatchInlineSnapshot(`
      [
        2442144158,
        3228956985,
        4257951167,
      ]
    `)
    expect(random.normal()).toMatchInlineSnapshot(`-0.30428869050495266`)
  })

  test.each([-1, 0.5, 2 ** 32, Number.NaN, Number.POSITIVE_INFINITY])('is refused where it is %s', (seed) => {
    expect(() => createRandom(seed)).toThrow(expect.objectContaining({ code: 'SEED_OUT_OF_RANGE' }))
    expect(() => createRandom(1, seed)).toThrow(/stream must be an integer/)
  })
})

test('uniform numbers fill the unit interval evenly', () => {
  const random = createRandom(2)
  const cells = new Float64Array(100)
  for (let index = 0; index < count; index += 1) {
    const value = random.uniform()
    cells[Math.floor(100 * value)]! += 1
  }
  expect(chiSquare(cells, () => count / 100)).toBeLessThan(158) // 99 degrees of freedom: 1 in 7,000 lies above
})

describe('normal numbers', () => {
  test('one by one are those that fill an array', () => {
    const random = createRandom(5)
    expect(Array.from({ length: 2_000 }, () => random.normal())).toEqual([...normals(5).subarray(0, 2_000)])
  })

  test('have the moments of the normal distribution', () => {
    const drawn = normals(3)
    const moment = (power: number) => mean(drawn.map((z) => z ** power))
    expect(Math.abs(moment(1))).toBeLessThan(4 / Math.sqrt(count))
    expect(Math.abs(moment(2) - 1)).toBeLessThan(4 * Math.sqrt(2 / count))
    expect(Math.abs(moment(3))).toBeLessThan(4 * Math.sqrt(15 / count))
    expect(Math.abs(moment(4) - 3)).toBeLessThan(4 * Math.sqrt(96 / count))
  })

  test('fall into cells as often as the normal distribution says, the tail beyond the ziggurat included', () => {
    const edges = Array.from({ length: 81 }, (_, index) => (index - 40) / 10)
    const cells = new Float64Array(edges.length + 1)
    for (const z of normals(4)) {
      const cell = Math.floor((z + 4) * 10) + 1
      cells[Math.min(Math.max(cell, 0), edges.length)]! += 1
    }
    const below = [0, ...edges.map(normalCdf), 1]
    expect(chiSquare(cells, (cell) => count * (below[cell + 1]! - below[cell]!))).toBeLessThan(135) // 81 degrees
  })

  test('do not follow one another', () => {
    const drawn = normals(6)
    const other = normals(6, 1)
    const bound = 4 / Math.sqrt(count)
    for (const lag of [1, 2, 3, 4]) {
      expect(Math.abs(mean(drawn.subarray(lag).map((z, at) => z * drawn[at]!)))).toBeLessThan(bound)
    }
    expect(Math.abs(mean(drawn.map((z, at) => z * other[at]!)))).toBeLessThan(bound)
  })
})

function chiSquare(seen: Float64Array, expected: (cell: number) => number): number {
  return seen.reduce((sum, value, cell) => sum + (value - expected(cell)) ** 2 / expected(cell), 0)
}
