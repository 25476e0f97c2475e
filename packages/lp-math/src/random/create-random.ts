import { LpMathError } from '../lp-math-error.ts'
import { inverseNormalCdf } from '../normal/normal.ts'

/**
 * A generator of random numbers that a seed decides: the same seed and stream give the same words on every machine. The words
 * are xoshiro128**, its state filled by splitmix; the normals are a ziggurat. Not for secrets.
 *
 * @param seed - an integer from 0 to 4294967295
 * @param stream - which of the independent sequences of that seed, an integer of the same span
 * @throws LpMathError `SEED_OUT_OF_RANGE`
 */
export function createRandom(seed: number, stream = 0): Random {
  const state = stateOf(seed, stream)
  const uint32 = () => nextWord(state) >>> 0
  const uniform = () => ((uint32() >>> 6) * 0x4000000 + (uint32() >>> 6) + 0.5) / 0x10000000000000
  /** Built with the first normal: most generators are asked for words alone. */
  let built: Ziggurat | null = null
  const ziggurat = () => (built ??= createZiggurat(uniform))
  const normal = () => {
    const { limit, width, beyond } = ziggurat()
    for (;;) {
      const word = nextWord(state)
      const layer = word & 255
      const value = Math.abs(word) < (limit[layer] ?? 0) ? word * (width[layer] ?? 0) : beyond(word)
      if (value !== null) return value
    }
  }

  /** The generator's lines stand here a second time: with the state in local variables a number costs 3 ns instead of 8. */
  const fillNormals = (target: Float64Array, from: number, to: number) => {
    const { limit, width, beyond } = ziggurat()
    let a = state[0] ?? 0
    let b = state[1] ?? 0
    let c = state[2] ?? 0
    let d = state[3] ?? 0
    for (let index = from; index < to; index += 1) {
      const scaled = Math.imul(b, 5)
      const word = Math.imul((scaled << 7) | (scaled >>> 25), 9)
      const shifted = b << 9
      c ^= a
      d ^= b
      b ^= c
      a ^= d
      c ^= shifted
      d = (d << 11) | (d >>> 21)
      const layer = word & 255
      if (Math.abs(word) < (limit[layer] ?? 0)) {
        target[index] = word * (width[layer] ?? 0)
      } else {
        store(state, a, b, c, d)
        target[index] = beyond(word) ?? normal()
        a = state[0] ?? 0
        b = state[1] ?? 0
        c = state[2] ?? 0
        d = state[3] ?? 0
      }
    }
    store(state, a, b, c, d)
  }
  return { uint32, uniform, normal, fillNormals }
}

/** A seeded source of random numbers: the same seed gives the same numbers on every machine. */
export type Random = {
  /** An integer from 0 to 4294967295. */
  uint32(): number
  /** Strictly between 0 and 1, with 52 random bits. */
  uniform(): number
  /** Of mean 0 and variance 1. */
  normal(): number
  /** Writes to `target[from]` up to and without `target[to]` what as many calls of `normal` would have returned. */
  fillNormals(target: Float64Array, from: number, to: number): void
}

function store(state: Int32Array, a: number, b: number, c: number, d: number): void {
  state[0] = a
  state[1] = b
  state[2] = c
  state[3] = d
}

/** Two words of the seed and two of the stream: no two pairs share a state, and none is all zero. */
function stateOf(seed: number, stream: number): Int32Array {
  const [a, b] = splitmix(wordOf(seed, 'seed'))
  const [c, d] = splitmix(wordOf(stream, 'stream') ^ 0x5bf03635)
  return Int32Array.of(a, b, c, d)
}

/** The first two numbers of splitmix on 32 bits: a Weyl sequence through the finaliser of MurmurHash3. */
function splitmix(seed: number): readonly [number, number] {
  return [mixed(seed + 0x9e3779b9), mixed(seed + 2 * 0x9e3779b9)]
}

function mixed(word: number): number {
  let bits = word | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

function wordOf(value: number, field: string): number {
  if (Number.isInteger(value) && value >= 0 && value <= 0xffffffff) return value
  throw new LpMathError('SEED_OUT_OF_RANGE', `${field} must be an integer from 0 to 4294967295, got ${value}`)
}

/**
 * The next word of the generator xoshiro128** 1.1, as a signed integer of 32 bits; moves the state, four words that are not all zero.
 *
 * Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM Trans. Math. Softw. 47 (2021).
 */
export function nextWord(state: Int32Array): number {
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  const scaled = Math.imul(b, 5)
  const word = Math.imul((scaled << 7) | (scaled >>> 25), 9)
  const shifted = b << 9
  c ^= a
  d ^= b
  b ^= c
  a ^= d
  state[0] = a
  state[1] = b
  state[2] = c ^ shifted
  state[3] = (d << 11) | (d >>> 21)
  return word
}

/**
 * The ziggurat of 256 layers that turns words of 32 random bits into normal numbers. A word gives layer and place: they share
 * eight low bits, which moves a number by 2^-23 of its layer at most.
 *
 * Source: Marsaglia and Tsang, "The ziggurat method for generating random variables", J. Stat. Softw. 5 (2000).
 *
 * @param uniform - gives numbers strictly between 0 and 1, for the one word in a hundred that its layer does not decide
 */
export function createZiggurat(uniform: () => number): Ziggurat {
  const { limit, width, density } = createLayers()
  /** A number beyond the end of the lowest layer (Marsaglia 1964). */
  const tail = () => {
    for (;;) {
      const x = -Math.log(uniform()) / edge
      if (-2 * Math.log(uniform()) > x * x) return edge + x
    }
  }
  const beyond = (word: number) => {
    const layer = word & 255
    if (layer === 0) return word < 0 ? -tail() : tail()
    const place = word * (width[layer] ?? 0)
    const inner = density[layer - 1] ?? 0
    const outer = density[layer] ?? 0
    return outer + uniform() * (inner - outer) < Math.exp(-0.5 * place * place) ? place : null
  }
  return { limit, width, beyond }
}

/** A signed word `w` of layer `l = w & 255` is the number `w * width[l]` where `|w| < limit[l]`. */
type Ziggurat = {
  readonly limit: Float64Array
  readonly width: Float64Array
  /** The number of a word that its layer does not decide, or `null` where another word must be drawn. */
  readonly beyond: (word: number) => number | null
}

/** Where the lowest layer ends, and the area of each layer. */
const edge = 3.6541528853610088
const area = 0.00492867323399
const scale = 0x80000000

function createLayers() {
  const limit = new Float64Array(256)
  const width = new Float64Array(256)
  const density = new Float64Array(256)
  const bottom = area / Math.exp(-0.5 * edge * edge)
  limit[0] = (edge / bottom) * scale
  width[0] = bottom / scale
  density[0] = 1
  let x = edge
  for (let layer = 255; layer > 0; layer -= 1) {
    const height = Math.exp(-0.5 * x * x)
    const inner = layer === 1 ? 0 : Math.sqrt(-2 * Math.log(area / x + height))
    limit[layer] = (inner / x) * scale
    width[layer] = x / scale
    density[layer] = height
    x = inner
  }
  return { limit, width, density }
}

/**
 * Turns words of 32 random bits into normal numbers: the inverse of the normal distribution at `(word + 0.5) / 2^32`, by cubic
 * interpolation in a table that halves its cells towards the tails; within 1e-8 of `inverseNormalCdf` at a quarter of its cost.
 */
export function createNormalTable(): NormalTable {
  const table = new Float64Array(32 * cells * 4)
  for (let octave = 0; octave < 32; octave += 1) {
    for (let cell = 0; cell < cells; cell += 1) table.set(cubic(octave, cell), (octave * cells + cell) * 4)
  }
  const fill = (words: Uint32Array, normals: Float64Array) => {
    for (let index = 0; index < words.length; index += 1) {
      const word = (words[index] ?? 0) | 0
      const folded = ((word ^ (word >> 31)) << 1) | 1
      const octave = Math.clz32(folded)
      const bits = folded << octave
      const at = ((octave << 5) | ((bits >>> 26) & 31)) << 2
      const x = (bits & 0x3ffffff) / 0x4000000
      const square = x * x
      const low = (table[at] ?? 0) + x * (table[at + 1] ?? 0)
      const lower = low + square * ((table[at + 2] ?? 0) + x * (table[at + 3] ?? 0))
      normals[index] = ((word >> 31) | 1) * lower
    }
  }
  return { fill }
}

export type NormalTable = {
  /** Writes the number of each word to the same place of `normals`. */
  fill(words: Uint32Array, normals: Float64Array): void
}

/** Cells to an octave: the interval from p to 2p. */
const cells = 32

/** Hermite's cubic over a cell below one half. */
function cubic(octave: number, cell: number): readonly number[] {
  const width = 2 ** (-octave - 2) / cells
  const start = (cells + cell) * width
  const from = inverseNormalCdf(start)
  const to = inverseNormalCdf(start + width)
  const rise = to - from
  const [slopeFrom, slopeTo] = [width / density(from), width / density(to)]
  return [from, slopeFrom, 3 * rise - 2 * slopeFrom - slopeTo, slopeFrom + slopeTo - 2 * rise]
}

function density(z: number): number {
  return Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI)
}
