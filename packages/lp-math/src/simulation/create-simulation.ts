import type { PriceBounds } from '../closed-form/price-bounds.ts'
import type { PriceModel } from '../closed-form/price-model.ts'
import { requirePriceBounds } from '../closed-form/require-price-bounds.ts'
import { requirePriceModel } from '../closed-form/require-price-model.ts'
import { LpMathError } from '../lp-math-error.ts'
import { requireCount } from '../random/require-count.ts'
import { createKnotSource } from './create-knot-source.ts'
import { createOccupancy } from './create-occupancy.ts'
import { createOutcomes } from './create-outcomes.ts'
import { division } from './division.ts'
import type { LogBounds } from './log-bounds.ts'
import { type RangeEstimates, rangeEstimates, type ReplicateRow } from './range-estimates.ts'
import { stayingPaths } from './staying-paths.ts'

/**
 * Simulates positions in many ranges on the same paths of a price, in portions, so that a caller can report progress or give up
 * between them. The paths are divided into replicates with randomness of their own; every estimate is the mean over the replicates
 * and its standard error their scatter. A replicate has a power of two of paths, with which Sobol points are evenest, so that up to
 * an eighth more paths are simulated than asked for. The same options give the same result, however the portions are cut.
 *
 * @throws LpMathError on bounds and models that mean nothing; `COUNT_OUT_OF_RANGE` for paths beyond 10,000,000 or fewer than the
 * replicates, steps beyond 1,000,000, no range; `SEED_OUT_OF_RANGE`
 */
export function createSimulation(options: SimulationOptions): Simulation {
  requireOptions(options)
  const { model, bounds, steps, seed } = options
  const { size, replicates } = division(options)
  const paths = size * replicates
  const { price } = model
  const ranges = bounds.map(({ lower, upper }) => ({ lower: Math.log(lower / price), upper: Math.log(upper / price) }))
  const source = createKnotSource({ model, steps, seed })
  const { knots, mean, deviation } = source
  const occupancy = deviation === 0 ? null : createOccupancy({ ranges, knots, mean, deviation })
  const outcomesOf = createOutcomes(bounds, price, size)
  const rows: ReplicateRow[][] = []
  const ends = new Float64Array(size)
  let done = 0
  let draw = source.startReplicate(0)

  const advance = (more: number) => {
    requireCount(more, 'paths', 1, Number.MAX_SAFE_INTEGER)
    const target = Math.min(done + more, paths)
    while (done < target) {
      const left = (rows.length + 1) * size - done
      const count = Math.min(target - done, left, source.mostPaths)
      addPaths(count)
      done += count
      if (done === (rows.length + 1) * size) finishReplicate()
    }
    return done
  }

  const addPaths = (count: number) => {
    draw(count)
    occupancy?.add(source.columns, count)
    const first = (knots.length - 1) * count
    // Of a replicate's ends one lies in each of `size` equal shares of the distribution: put there, they are sorted.
    for (let path = 0; path < count; path += 1) {
      ends[Math.floor((source.words[path] ?? 0) * (size / 2 ** 32))] = source.columns[first + path] ?? 0
    }
  }

  const finishReplicate = () => {
    const between = occupancy?.take()
    const row = outcomesOf(ends).map(({ il, positionValue }, index) => {
      const range = ranges[index] ?? nowhere
      const inside = ends.subarray(below(ends, range.lower), below(ends, range.upper))
      const terminalInRange = inside.length / size
      const inRange = between ? (between[index] ?? 0) / size : certainSteps(range, mean, steps)
      const stepsInRange = inRange + terminalInRange / 2
      const stayInRange = stayingPaths(inside, range, deviation * deviation) / size
      return { stepsInRange, terminalInRange, stayInRange, il, positionValue }
    })
    rows.push(row)
    if (rows.length < replicates) draw = source.startReplicate(rows.length)
  }

  const result = () => {
    if (done < paths) throw new LpMathError('SIMULATION_UNFINISHED', `${done} of ${paths} paths are simulated`)
    return bounds.map((range, index) =>
      rangeEstimates(range, { model, steps, paths, rows: rows.flatMap((row) => row[index] ?? []) }),
    )
  }
  return { paths, advance, result }
}

export type SimulationOptions = {
  readonly model: PriceModel
  readonly bounds: readonly PriceBounds[]
  /** At least so many, up to 10,000,000. */
  readonly paths: number
  /** Of equal length, to the horizon; 30 to 60 are enough. */
  readonly steps: number
  readonly seed: number
  /** Into how many independent parts the paths are divided at least, from 2 to 1,024; 8 when left out. */
  readonly replicates?: number | undefined
}

export type Simulation = {
  /** How many paths there are in all. */
  readonly paths: number
  /** Simulates so many paths more, or what is left of them; returns how many are done. */
  advance(paths: number): number
  /**
   * The estimates of each range, in the order of the bounds.
   * @throws LpMathError `SIMULATION_UNFINISHED` before all paths are done
   */
  result(): RangeEstimates[]
}

function requireOptions({ model, bounds, paths, steps, replicates = 8 }: SimulationOptions): void {
  requirePriceModel(model)
  requireCount(bounds.length, 'bounds.length', 1, 10_000)
  bounds.forEach(requirePriceBounds)
  requireCount(replicates, 'replicates', 2, 1_024)
  requireCount(paths, 'paths', replicates, 10_000_000)
  requireCount(steps, 'steps', 1, 1_000_000)
}

const nowhere: LogBounds = { lower: 0, upper: 0 }

/** How many of the rising values lie below a bound. */
function below(values: Float64Array, bound: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] ?? 0) < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Steps in range, between the first and the last, of a price that moves evenly to `end`. */
function certainSteps({ lower, upper }: LogBounds, end: number, steps: number): number {
  let sum = 0
  for (let step = 1; step < steps; step += 1) {
    const value = (end * step) / steps
    if (value >= lower && value < upper) sum += 1
  }
  return sum
}
