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
      return { stepsInRange, terminalInRange, stayInRange, leastBeyond, mostBeyond, il, positionValue }
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
