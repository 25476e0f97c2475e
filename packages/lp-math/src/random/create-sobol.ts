import { createRandom, type Random } from './create-random.ts'
import { requireCount } from '../lp-math-error.ts'
import { sobolNumbers } from './sobol-numbers.ts'

/**
 * A Sobol sequence, scrambled by random lower triangular matrices and a digital shift: each point is uniform, the points together
 * stay as evenly spread as the bare sequence, and the sequences of several streams are independent, so that the scatter of their
 * means tells their error. Points come in Gray code order; the first is not skipped.
 *
 * Sources: S. Joe and F. Y. Kuo 2008 (numbers); I. A. Antonov and V. M. Saleev 1979 (order); J. Matoušek, "On the L2-discrepancy
 * for anchored boxes", J. Complexity 14 (1998) (scramble); A. B. Owen, "On dropping the first Sobol' point" (2021).
 *
 * @param dimensions - from 1 to 64
 * @param seed - an integer from 0 to 4294967295, or `null` for the bare sequence
 * @param stream - which of the independent scrambles of that seed
 * @throws LpMathError `COUNT_OUT_OF_RANGE`, `SEED_OUT_OF_RANGE`
 */
export function createSobol({ dimensions, seed, stream = 0 }: SobolOptions): Sobol {
  requireCount(dimensions, 'dimensions', 1, MAX_SOBOL_DIMENSIONS)
  const random = seed === null ? null : createRandom(seed, stream)
  const directions = directionsOf(dimensions, random)
  const point = new Uint32Array(dimensions)
  if (random) for (let dimension = 0; dimension < dimensions; dimension += 1) point[dimension] = random.uint32()
  let drawn = 0
  const next = () => {
    if (drawn > 0) {
      const from = (31 - Math.clz32(drawn & -drawn)) * dimensions
      for (let dimension = 0; dimension < dimensions; dimension += 1) {
        point[dimension] = (point[dimension] ?? 0) ^ (directions[from + dimension] ?? 0)
      }
    }
    drawn += 1
    return point
  }
  const fillColumns = (columns: Uint32Array, count: number) => {
    for (let dimension = 0; dimension < dimensions; dimension += 1) {
      const column = columns.subarray(dimension * count, (dimension + 1) * count)
      const flips = directions.subarray(dimension)
      point[dimension] = fillColumn(column, { flips, every: dimensions, last: point[dimension] ?? 0, drawn })
    }
    drawn += count
  }
  return { next, fillColumns }
}

/** How many dimensions a sequence has, and the seed of its scrambling. */
export type SobolOptions = {
  readonly dimensions: number
  readonly seed: number | null
  readonly stream?: number | undefined
}

/** Scrambled numbers of a Sobol sequence, one point of all dimensions after the other. */
export type Sobol = {
  /** The next point, each coordinate as an integer of 32 bits: `(c + 0.5) / 2^32` lies in the unit interval. Valid until the next call. */
  next(): Uint32Array
  /** Writes the next `count` points, all of a dimension together: coordinate d of point i to `columns[d * count + i]`. */
  fillColumns(columns: Uint32Array, count: number): void
}

/** The most dimensions that {@link createSobol} has direction numbers for. */
export const MAX_SOBOL_DIMENSIONS = 64

type Column = { readonly flips: Uint32Array; readonly every: number; readonly last: number; readonly drawn: number }

/** Writes the points from number `drawn` on and returns the last of them: every other step of the Gray code flips the same bits. */
function fillColumn(column: Uint32Array, { flips, every, last, drawn }: Column): number {
  const odd = flips[0] ?? 0
  let word = last
  let index = 0
  if (drawn % 2 === 1) {
    word ^= odd
    column[0] = word
    index = 1
  }
  for (; index < column.length; index += 2) {
    const number = drawn + index
    if (number > 0) word ^= flips[(31 - Math.clz32(number & -number)) * every] ?? 0
    column[index] = word
    if (index + 1 === column.length) break
    word ^= odd
    column[index + 1] = word
  }
  return word
}

/** Bit by bit, and within a bit by dimension: what a step of the Gray code flips lies together. */
function directionsOf(dimensions: number, random: Random | null): Uint32Array {
  const directions = new Uint32Array(32 * dimensions)
  const matrix = new Uint32Array(32)
  for (let dimension = 0; dimension < dimensions; dimension += 1) {
    const column = columnOf(dimension === 0 ? undefined : numbers[dimension - 1])
    for (let bit = 0; bit < 32; bit += 1) matrix[bit] = matrixColumn(bit, random ? random.uint32() : 0)
    for (let bit = 0; bit < 32; bit += 1) directions[bit * dimensions + dimension] = product(matrix, column[bit] ?? 0)
  }
  return directions
}

const numbers = sobolNumbers
  .trim()
  .split('\n')
  .map((line) => line.split(' ').map(Number))

/** The 32 direction numbers of a dimension; the first dimension has no polynomial and is the van der Corput sequence. */
function columnOf(line: readonly number[] | undefined): Uint32Array {
  if (line === undefined) return Uint32Array.from({ length: 32 }, (_, bit) => 2 ** (31 - bit))
  const [polynomial = 0, ...initial] = line
  const degree = initial.length
  const column = new Uint32Array(32)
  for (let bit = 0; bit < 32; bit += 1) {
    if (bit < degree) {
      column[bit] = (initial[bit] ?? 0) << (31 - bit)
      continue
    }
    const oldest = column[bit - degree] ?? 0
    let direction = oldest ^ (oldest >>> degree)
    for (let back = 1; back < degree; back += 1) {
      if ((polynomial >>> (degree - back)) & 1) direction ^= column[bit - back] ?? 0
    }
    column[bit] = direction
  }
  return column
}

/** Column of a lower triangular matrix over bits, most significant first: a one on the diagonal, random bits below. */
function matrixColumn(bit: number, word: number): number {
  const diagonal = 2 ** (31 - bit)
  return diagonal | (word & (diagonal - 1))
}

function product(matrix: Uint32Array, vector: number): number {
  let sum = 0
  for (let bit = 0; bit < 32; bit += 1) {
    // All ones where the vector has the bit, else 0.
    sum ^= (matrix[bit] ?? 0) & ((vector << bit) >> 31)
  }
  return sum
}
