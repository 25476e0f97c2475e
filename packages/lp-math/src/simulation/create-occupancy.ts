import { normalCdf } from '../normal/normal.ts'

/**
 * Sums up the probability that a path stands in each of many ranges at each step before the last, given its knots on both sides of the
 * step: as exact as drawing the step, at a scatter that is far smaller, because the probability takes the place of chance, and at a
 * cost that does not grow with the number of ranges. Given its knots a step is normal with a mean that lies between them, so that the
 * means are counted in narrow cells, and only in the end the counts are weighted with the normal distribution around each bound.
 *
 * Source: conditional Monte Carlo, P. Glasserman, "Monte Carlo Methods in Financial Engineering" (2003), section 7.2.3; Sheppard's
 * correction for the width of the cells.
 *
 * @param ranges - bounds of each range as logarithms; what equals a lower bound lies inside, what equals an upper one outside
 */
export function createOccupancy({ ranges, knots, mean, deviation }: OccupancyOptions): Occupancy {
  const edges = [...new Set(ranges.flatMap(({ lower, upper }) => [lower, upper]))]
  const finite = edges.filter(Number.isFinite)
  const reach = { from: Math.min(mean, 0) - furthest * deviation, to: Math.max(mean, 0) + furthest * deviation }
  const table = shareTable()
  const counters = stepClasses(knots).map((one) => createCounter(one, finite, { reach, deviation, table }))
  const add = (columns: Float64Array, count: number) => {
    for (const counter of counters) counter.add(columns, count)
  }
  const take = () => {
    const below = new Map(edges.map((edge) => [edge, 0]))
    for (const counter of counters) counter.takeBelow(below)
    return ranges.map(({ lower, upper }) => (below.get(upper) ?? 0) - (below.get(lower) ?? 0))
  }
  return { add, take }
}

export type OccupancyOptions = {
  readonly ranges: readonly LogBounds[]
  /** Steps, the first of them 0, the last the end. */
  readonly knots: Int32Array
  /** Of the logarithm at the end. */
  readonly mean: number
  /** Above 0. */
  readonly deviation: number
}

export type Occupancy = {
  /** Counts `count` paths, path p at knot k being `columns[k * count + p]`. */
  add(columns: Float64Array, count: number): void
  /** The sum for each range since the last call. */
  take(): number[]
}

/** Bounds of a range as logarithms of the price over the price at the start. */
export type LogBounds = { readonly lower: number; readonly upper: number }

/** In deviations of the end: no path of 32 bits gets there. */
const furthest = 8
/** In deviations of a step: beyond it lies 1e-9 of the normal distribution. */
const window = 6
/** To a deviation of a step. */
const cells = 8
/** How many cells before and behind a bound are weighted. */
const around = window * cells + 1
/** Of the table of weights, to a cell. */
const parts = 16

type Counter = {
  add(columns: Float64Array, count: number): void
  /** Adds to each bound how much lies below it, and begins again. */
  takeBelow(sums: Map<number, number>): void
}

type CounterOptions = {
  readonly reach: { readonly from: number; readonly to: number }
  readonly deviation: number
  readonly table: Float64Array
}

function createCounter({ share, places }: StepClass, edges: readonly number[], options: CounterOptions): Counter {
  const { reach, deviation, table } = options
  const step = deviation * Math.sqrt(share)
  const scale = cells / step
  const from = Math.min(Math.max(Math.min(...edges) - window * step, reach.from), reach.to)
  const to = Math.min(Math.max(Math.max(...edges) + window * step, from), reach.to)
  const counts = new Float64Array(Math.ceil((to - from) * scale) + 1)
  const add = (columns: Float64Array, count: number) => {
    for (const { left, right, toRight } of places) {
      const weights = { left: scale * (1 - toRight), right: scale * toRight, shift: -from * scale }
      countCells(counts, columns.subarray(left * count), columns.subarray(right * count), weights, count)
    }
  }

  const takeBelow = (sums: Map<number, number>) => {
    const before = runningSums(counts)
    for (const [edge, sum] of sums) sums.set(edge, sum + below((edge - from) * scale, counts, before, table))
    counts.fill(0)
  }
  return { add, takeBelow }
}

/** Counts in which cell each path stands between two knots; by twos, which takes two thirds of the time that it takes one by one. */
function countCells(counts: Float64Array, from: Float64Array, to: Float64Array, weights: Weights, count: number): void {
  const { left, right, shift } = weights
  const top = counts.length - 1
  for (let path = count % 2; path < count; path += 2) {
    const one = (shift + left * (from[path] ?? 0) + right * (to[path] ?? 0)) | 0
    const other = (shift + left * (from[path + 1] ?? 0) + right * (to[path + 1] ?? 0)) | 0
    const cell = one < 0 ? 0 : one > top ? top : one
    const otherCell = other < 0 ? 0 : other > top ? top : other
    counts[cell] = (counts[cell] ?? 0) + 1
    counts[otherCell] = (counts[otherCell] ?? 0) + 1
  }
  if (count % 2 === 0) return
  const first = Math.min(Math.max(shift + left * (from[0] ?? 0) + right * (to[0] ?? 0), 0), top) | 0
  counts[first] = (counts[first] ?? 0) + 1
}

type Weights = { readonly left: number; readonly right: number; readonly shift: number }

/** Of what is counted in cells, how much lies below a bound: all of the cells far before it, and shares of those around it. */
function below(edge: number, counts: Float64Array, before: Float64Array, table: Float64Array): number {
  const middle = Math.min(Math.max(Math.floor(edge), -around), counts.length + around)
  const first = Math.min(Math.max(middle - around, 0), counts.length)
  const last = Math.min(middle + around, counts.length)
  let sum = before[first] ?? 0
  // From the bound to the middle of the first cell, in parts of the table.
  const distance = (edge - first - 0.5 + around) * parts
  const part = Math.floor(distance)
  const rest = distance - part
  for (let cell = first; cell < last; cell += 1) {
    const at = part - (cell - first) * parts
    const low = table[at] ?? 0
    sum += (counts[cell] ?? 0) * (low + rest * ((table[at + 1] ?? 0) - low))
  }
  return sum
}

function runningSums(counts: Float64Array): Float64Array {
  const sums = new Float64Array(counts.length + 1)
  for (let cell = 0; cell < counts.length; cell += 1) sums[cell + 1] = (sums[cell] ?? 0) + (counts[cell] ?? 0)
  return sums
}

/** What share of a step lies below a bound at distances of -`around` to `around` cells and one from its mean. */
function shareTable(): Float64Array {
  // Counting in cells adds to the variance what this takes off.
  const scatter = Math.sqrt(cells * cells - 1 / 12)
  return Float64Array.from({ length: (2 * around + 1) * parts + 2 }, (_, at) =>
    normalCdf((at / parts - around) / scatter),
  )
}

/**
 * The steps between the first and the last, each with the knots that stand nearest before and behind it and how far it stands between
 * them; together those that scatter alike, given these knots.
 *
 * @param knots - rising steps, the first of them 0, the last the end
 */
function stepClasses(knots: Int32Array): StepClass[] {
  const end = knots.at(-1) ?? 0
  const classes = new Map<number, StepPlace[]>()
  let behind = 1
  for (let step = 1; step < end; step += 1) {
    const isKnot = knots[behind] === step
    const [left, right] = [behind - 1, isKnot ? behind + 1 : behind]
    if (isKnot) behind += 1
    const [from, to] = [knots[left] ?? 0, knots[right] ?? end]
    const share = ((step - from) * (to - step)) / ((to - from) * end)
    const places = classes.get(share) ?? []
    places.push({ left, right, toRight: (step - from) / (to - from) })
    classes.set(share, places)
  }
  return Array.from(classes, ([share, places]) => ({ share, places }))
}

type StepClass = {
  /** Variance of a step, given its knots, over that of the end. */
  readonly share: number
  readonly places: readonly StepPlace[]
}

type StepPlace = {
  /** Index of a knot. */
  readonly left: number
  readonly right: number
  /** 0 at the left knot, 1 at the right. */
  readonly toRight: number
}

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
