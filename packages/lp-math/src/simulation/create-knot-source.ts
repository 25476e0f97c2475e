import { logReturn, type PriceModel } from '../closed-form/price-model.ts'
import { bisection } from '../random/create-brownian-bridge.ts'
import { createNormalTable, createRandom, type Random } from '../random/create-random.ts'
import { createSobol, MAX_SOBOL_DIMENSIONS } from '../random/create-sobol.ts'

/**
 * The logarithm of the price over the price now, at the knots of many paths at once, knot by knot: that order is what makes it fast.
 * Each replicate has an independent scramble of the same Sobol sequence: it decides the first 64 points of the bridge, pseudo-random
 * numbers the rest. The paths are the same in whatever portions they are drawn.
 *
 * @throws LpMathError `COUNT_OUT_OF_RANGE`, `SEED_OUT_OF_RANGE`
 */
export function createKnotSource({ model, steps, seed }: KnotSourceOptions): KnotSource {
  const { mean, deviation } = logReturn(model)
  const knots = knotsOf(steps)
  const last = knots.length - 1
  const plan = bisection(knots, deviation)
  const dimensions = Math.min(last, MAX_SOBOL_DIMENSIONS)
  const mostPaths = Math.max(Math.floor(numbersAtOnce / last), 1)
  const table = createNormalTable()
  const words = new Uint32Array(dimensions * mostPaths)
  const normals = new Float64Array(last * mostPaths)
  const rest = new Float64Array(last - dimensions)
  const columns = new Float64Array((last + 1) * mostPaths)

  const startReplicate = (replicate: number) => {
    const sobol = createSobol({ dimensions, seed, stream: replicate })
    const random = rest.length > 0 ? createRandom(seed, replicate + 0x80000000) : null
    return (count: number) => {
      sobol.fillColumns(words, count)
      table.fill(words.subarray(0, dimensions * count), normals)
      if (random) fillRest(random, count)
      build(count)
    }
  }

  const fillRest = (random: Random, count: number) => {
    for (let path = 0; path < count; path += 1) {
      random.fillNormals(rest, 0, rest.length)
      for (let at = 0; at < rest.length; at += 1) normals[(dimensions + at) * count + path] = rest[at] ?? 0
    }
  }

  const build = (count: number) => {
    columns.fill(0, 0, count)
    for (let path = 0; path < count; path += 1) columns[last * count + path] = mean + deviation * (normals[path] ?? 0)
    for (let row = 0; row < last - 1; row += 1) {
      const from = (plan.knots[3 * row] ?? 0) * count
      const at = (plan.knots[3 * row + 1] ?? 0) * count
      const to = (plan.knots[3 * row + 2] ?? 0) * count
      const share = plan.weights[2 * row] ?? 0
      const scatter = plan.weights[2 * row + 1] ?? 0
      const number = (row + 1) * count
      for (let path = 0; path < count; path += 1) {
        const left = columns[from + path] ?? 0
        const mean = left + ((columns[to + path] ?? 0) - left) * share
        columns[at + path] = mean + scatter * (normals[number + path] ?? 0)
      }
    }
  }
  return { knots, deviation, mean, mostPaths, columns, words, startReplicate }
}

export type KnotSourceOptions = { readonly model: PriceModel; readonly steps: number; readonly seed: number }

export type KnotSource = {
  /** The steps at which paths are known, 0 and the last included; between two of them a path is a Brownian bridge. */
  readonly knots: Int32Array
  /** Of the logarithm at the end. */
  readonly mean: number
  readonly deviation: number
  /** How many can be drawn at once. */
  readonly mostPaths: number
  /** Where `count` paths are written: path p at knot k to `columns[k * count + p]`. */
  readonly columns: Float64Array
  /** The words of 32 bits that decided the ends: that of path p at `words[p]`, and a greater word is a higher end. */
  readonly words: Uint32Array
  /** The function that draws the next `count` paths of a replicate. */
  startReplicate(replicate: number): (count: number) => void
}

/** Normal numbers of all paths that are drawn together: what the nearest cache holds. */
const numbersAtOnce = 4_096

/**
 * The steps at which a path is drawn, 0 and the last included: evenly spread, at least eight to a path where it has as many, and none
 * further than twelve steps from the next. What lies between two of them is integrated and not drawn.
 */
export function knotsOf(steps: number): Int32Array {
  const count = Math.min(Math.max(fewest, Math.ceil(steps / furthest)), steps)
  return Int32Array.from({ length: count + 1 }, (_, knot) => Math.round((knot * steps) / count))
}

const fewest = 8
const furthest = 12
