import { type PriceBounds, type PriceModel, requirePriceBounds, requirePriceModel } from '../closed-form/price-model.ts'
import { LpMathError, requireCount } from '../lp-math-error.ts'
import { createKnotSource, type KnotSource } from './create-knot-source.ts'
import { division, countBelow } from './estimate.ts'
import { type RangeEstimates, rangeEstimates, type ReplicateRow, createOutcomes } from './range-estimates.ts'
import { createOccupancy, type LogBounds, createStayingPaths } from './create-occupancy.ts'

/**
 * Simulates positions in many ranges on the same paths of a price, in portions, so that a caller can report progress or give up
 * between them. The paths are divided into replicates with randomness of their own; every estimate is the mean over the replicates
 * and its standard error their scatter. A replicate has a power of two of paths, with which Sobol points are evenest, so that up to
 * an eighth more paths are simulated than asked for. Some points of a path are drawn, and the steps between them are integrated. The
 * same options give the same result, however the portions are cut.
 *
 * @throws LpMathError on bounds and models that mean nothing; `COUNT_OUT_OF_RANGE` for paths beyond 10,000,000 or fewer than the
 * replicates, steps beyond 1,000,000, no range; `SEED_OUT_OF_RANGE`
 */
export function createSimulation(options: SimulationOptions): Simulation {
  requireOptions(options)
  const { model, bounds, steps, seed } = options
  const { size, replicates } = division(options)
  const paths = size * replicates
  const source = createKnotSource({ model, steps, seed })
  const tally = createTally({ model, bounds, steps, size, source })
  const rows: ReplicateRow[][] = []
  let done = 0
  let draw = source.startReplicate(0)

  const advance = (more: number) => {
    requireCount(more, 'paths', 1, Number.MAX_SAFE_INTEGER)
    const target = Math.min(done + more, paths)
    while (done < target) {
      const end = (rows.length + 1) * size
      const count = Math.min(Math.min(target, end) - done, source.mostPaths)
      draw(count)
      tally.add(count)
      done += count
      if (done < end) continue
      rows.push(tally.take())
      if (done < paths) draw = source.startReplicate(rows.length)
    }
    return done
  }

  const result = () => {
    if (done < paths) throw new LpMathError('SIMULATION_UNFINISHED', `${done} of ${paths} paths are simulated`)
    return bounds.map((range, index) =>
      rangeEstimates(range, { model, steps, paths, rows: rows.flatMap((row) => row[index] ?? []) }),
    )
  }
  return { paths, advance, result }
}

/** The model, the number of paths and steps, and the seed of a simulation. */
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

/** Simulated paths of one market, asked about any number of ranges: see {@link createSimulation}. */
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

/** Gathers what the paths of a replicate say of each range. */
function createTally({ model, bounds, steps, size, source }: TallyOptions): Tally {
  const { price } = model
  const { knots, mean, deviation, columns, words } = source
  const ranges = bounds.map(({ lower, upper }) => ({ lower: Math.log(lower / price), upper: Math.log(upper / price) }))
  const occupancy = deviation === 0 ? null : createOccupancy({ ranges, knots, mean, deviation })
  const reach = { from: mean - furthest * deviation, to: mean + furthest * deviation }
  const staying = ranges.map((range) => createStayingPaths({ bounds: range, variance: deviation * deviation, reach }))
  const mostStaying = staying.map((ofRange, index) =>
    deviation > 0 ? peakOf(ofRange, ranges[index] ?? nowhere, reach) : 1,
  )
  const outcomesOf = createOutcomes(bounds, price, size)
  const ends = new Float64Array(size)
  const stratum = size / 2 ** 32

  const add = (count: number) => {
    occupancy?.add(columns, count)
    const first = (knots.length - 1) * count
    // Of a replicate's ends one lies in each of `size` equal shares of the distribution: put there, they are sorted.
    for (let path = 0; path < count; path += 1) {
      ends[Math.floor((words[path] ?? 0) * stratum)] = columns[first + path] ?? 0
    }
  }

  const take = () => {
    const between = occupancy?.take()
    return outcomesOf(ends).map(({ il, positionValue }, index) => {
      const range = ranges[index] ?? nowhere
      const [below, within] = [countBelow(ends, range.lower), countBelow(ends, range.upper)]
      const inside = ends.subarray(below, within)
      const terminalInRange = inside.length / size
      const beforeEnd = between ? (between[index] ?? 0) / size : certainSteps(range, mean, steps)
      const stepsInRange = beforeEnd + terminalInRange / 2
      const stayInRange = (staying[index]?.(inside) ?? 0) / size
      const mostBeyond = Math.max(below, size - within)
      const leastBeyond = Math.min(
        range.lower > -Infinity ? below : size,
        range.upper < Infinity ? size - within : size,
      )
      const mostOfPath = { stay: mostStaying[index] ?? 0, time: mostTime(range, deviation) }
      return { stepsInRange, terminalInRange, stayInRange, mostOfPath, leastBeyond, mostBeyond, il, positionValue }
    })
  }
  return { add, take }
}

export type TallyOptions = {
  readonly model: PriceModel
  readonly bounds: readonly PriceBounds[]
  readonly steps: number
  /** Paths of a replicate, a power of two. */
  readonly size: number
  readonly source: KnotSource
}

export type Tally = {
  /** Adds the paths that the source has drawn last. */
  add(count: number): void
  /** What a whole replicate saw of each range; the next begins. */
  take(): ReplicateRow[]
}

/** The most that one path counts for as one that stays, wherever it ends. */
function peakOf(staying: (ends: Float64Array) => number, { lower, upper }: LogBounds, reach: Reach): number {
  const [from, to] = [Math.max(lower, reach.from), Math.min(upper, reach.to)]
  const ends = Array.from({ length: looks }, (_, look) => from + ((to - from) * (look + 0.5)) / looks)
  return Math.max(...ends.map((end) => staying(Float64Array.of(end))))
}

type Reach = { readonly from: number; readonly to: number }

const looks = 15

/** The share of its time that hardly a path spends more of in so narrow a range: four times what it spends about its own level. */
function mostTime({ lower, upper }: LogBounds, deviation: number): number {
  return deviation > 0 ? Math.min(1, (4 * (upper - lower)) / deviation) : 1
}

/** In deviations of the end. */
const furthest = 8

const nowhere: LogBounds = { lower: 0, upper: 0 }

/** Steps in range, between the first and the last, of a price that moves evenly to `end`. */
function certainSteps({ lower, upper }: LogBounds, end: number, steps: number): number {
  let sum = 0
  for (let step = 1; step < steps; step += 1) {
    const value = (end * step) / steps
    if (value >= lower && value < upper) sum += 1
  }
  return sum
}
