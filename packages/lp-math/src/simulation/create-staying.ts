import { bridgeStays } from './bridge-stays.ts'
import type { LogBounds } from './create-occupancy.ts'

/**
 * Sums up the probability that a path stays in each of many ranges from its start to its end, the time between its steps included.
 * A path is looked at in four places, and in between as a bridge: that is as exact as all its steps, and scatters less, because the
 * probability takes the place of chance.
 *
 * @param knots - indices into a path, the first and the last of them its ends
 * @param variance - of the whole path
 */
export function createStaying({ ranges, knots, variance }: StayingOptions): Staying {
  const count = Math.min(looks, knots.length - 1)
  const places = Array.from(
    { length: count + 1 },
    (_, look) => knots[Math.floor((look * (knots.length - 1)) / count)] ?? 0,
  )
  const length = places.at(-1) ?? 1
  const variances = Float64Array.from(places, (place, look) => (variance * (place - (places[look - 1] ?? 0))) / length)
  const values = new Float64Array(places.length)
  const sums = new Float64Array(ranges.length)
  const add = (path: Float64Array) => {
    for (let look = 0; look < places.length; look += 1) values[look] = path[places[look] ?? 0] ?? 0
    for (let index = 0; index < ranges.length; index += 1) {
      sums[index] = (sums[index] ?? 0) + weightWithin(values, variances, ranges[index] ?? nowhere)
    }
  }
  const take = () => {
    const taken = [...sums]
    sums.fill(0)
    return taken
  }
  return { add, take }
}

export type StayingOptions = {
  readonly ranges: readonly LogBounds[]
  readonly knots: Int32Array
  readonly variance: number
}

export type Staying = {
  add(path: Float64Array): void
  /** The sum for each range since the last call. */
  take(): number[]
}

const looks = 4
/** Beyond so many variances a wall is touched once in 1e9 times, and two walls do not see each other. */
const far = 10.5
const nowhere: LogBounds = { lower: 0, upper: 0 }

/** The product over the bridges of a path; 0 where a place lies on a bound or beyond. */
function weightWithin(values: Float64Array, variances: Float64Array, { lower, upper }: LogBounds): number {
  for (let look = 0; look < values.length; look += 1) {
    const value = values[look] ?? 0
    if (value <= lower || value >= upper) return 0
  }
  let weight = 1
  for (let look = 1; look < values.length; look += 1) {
    const start = values[look - 1] ?? 0
    const end = values[look] ?? 0
    const variance = variances[look] ?? 0
    const reach = far * variance
    if ((upper - lower) * (upper - lower) < reach) {
      weight *= bridgeStays(start - lower, end - lower, upper - start, upper - end, variance)
      continue
    }
    const below = (start - lower) * (end - lower)
    const above = (upper - start) * (upper - end)
    if (below < reach) weight *= 1 - Math.exp((-2 * below) / variance)
    if (above < reach) weight *= 1 - Math.exp((-2 * above) / variance)
  }
  return weight
}
