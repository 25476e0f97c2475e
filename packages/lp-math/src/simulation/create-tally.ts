import type { PriceBounds, PriceModel } from '../closed-form/price-model.ts'
import { countBelow } from './estimate.ts'
import type { KnotSource } from './create-knot-source.ts'
import { createOccupancy, type LogBounds } from './create-occupancy.ts'
import { createOutcomes } from './create-outcomes.ts'
import { createStayingPaths } from './create-staying-paths.ts'
import type { ReplicateRow } from './range-estimates.ts'

/** Gathers what the paths of a replicate say of each range. */
export function createTally({ model, bounds, steps, size, source }: TallyOptions): Tally {
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
