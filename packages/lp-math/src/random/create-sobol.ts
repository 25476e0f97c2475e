import { createRandom, type Random } from './create-random.ts'
import { requireCount } from '../lp-math-error.ts'

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

/**
 * Primitive polynomials and initial direction numbers of a Sobol sequence in 64 dimensions, one line for each dimension from the
 * second: the polynomial's coefficients over GF(2) read as a binary number, then the odd numbers m1, m2, … for its degree.
 *
 * Source: the first lines of `new-joe-kuo-6.21201` (web.maths.unsw.edu.au/~fkuo/sobol), S. Joe and F. Y. Kuo, "Constructing Sobol
 * sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008). Their licence:
 *
 * Copyright (c) 2008, Frances Y. Kuo and Stephen Joe. All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
 * conditions are met:
 * - Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.
 * - Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
 *   disclaimer in the documentation and/or other materials provided with the distribution.
 * - Neither the names of the copyright holders nor the names of the University of New South Wales and the University of Waikato
 *   and its contributors may be used to endorse or promote products derived from this software without specific prior written
 *   permission.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO,
 * THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT
 * HOLDERS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED
 * TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON
 * ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT
 * OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */
const sobolNumbers = `
3 1
7 1 3
11 1 3 1
13 1 1 1
19 1 1 3 3
25 1 3 5 13
37 1 1 5 5 17
41 1 1 5 5 5
47 1 1 7 11 19
55 1 1 5 1 1
59 1 1 1 3 11
61 1 3 5 5 31
67 1 3 3 9 7 49
91 1 1 1 15 21 21
97 1 3 1 13 27 49
103 1 1 1 15 7 5
109 1 3 1 15 13 25
115 1 1 5 5 19 61
131 1 3 7 11 23 15 103
137 1 3 7 13 13 15 69
143 1 1 3 13 7 35 63
145 1 3 5 9 1 25 53
157 1 3 1 13 9 35 107
167 1 3 1 5 27 61 31
171 1 1 5 11 19 41 61
185 1 3 5 3 3 13 69
191 1 1 7 13 1 19 1
193 1 3 7 5 13 19 59
203 1 1 3 9 25 29 41
211 1 3 5 13 23 1 55
213 1 3 7 3 13 59 17
229 1 3 1 3 5 53 69
239 1 1 5 5 23 33 13
241 1 1 7 7 1 61 123
247 1 1 7 9 13 61 49
253 1 3 3 5 3 55 33
285 1 3 1 15 31 13 49 245
299 1 3 5 15 31 59 63 97
301 1 3 1 11 11 11 77 249
333 1 3 1 11 27 43 71 9
351 1 1 7 15 21 11 81 45
355 1 3 7 3 25 31 65 79
357 1 3 1 1 19 11 3 205
361 1 1 5 9 19 21 29 157
369 1 3 7 11 1 33 89 185
391 1 3 3 3 15 9 79 71
397 1 3 7 11 15 39 119 27
425 1 1 3 1 11 31 97 225
451 1 1 1 3 23 43 57 177
463 1 3 7 7 17 17 37 71
487 1 3 1 5 27 63 123 213
501 1 1 3 5 11 43 53 133
529 1 3 5 5 29 17 47 173 479
539 1 3 3 11 3 1 109 9 69
545 1 1 1 5 17 39 23 5 343
557 1 3 1 5 25 15 31 103 499
563 1 1 1 11 11 17 63 105 183
601 1 1 5 11 9 29 97 231 363
607 1 1 5 15 19 45 41 7 383
617 1 3 7 7 31 19 83 137 221
623 1 1 1 3 23 15 111 223 83
631 1 1 5 13 31 15 55 25 161
637 1 1 3 13 25 47 39 87 257
`

const numbers = sobolNumbers
  .trim()
  .split('\n')
  .map((line) => line.split(' ').map(Number))
