import { expect, test } from 'vitest'
import { normalCdf } from '../normal/normal.ts'
import { createRandom } from '../random/create-random.ts'
import { createOccupancy } from './create-occupancy.ts'

const [mean, deviation] = [-0.1, 0.5]
const everything = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY }

function randomColumns(knots: Int32Array, count: number): Float64Array {
  const random = createRandom(1)
  return Float64Array.from({ length: knots.length * count }, (_, at) => (at < count ? 0 : 0.3 * random.normal()))
}

/** Path by path and step by step, without cells: what {@link createOccupancy} shall come to. */
function alone(columns: Float64Array, count: number, knots: Int32Array, { lower, upper }: typeof everything): number {
  const steps = knots.at(-1)!
  let sum = 0
  for (let step = 1; step < steps; step += 1) {
    const [left, right] = [knots.findLastIndex((knot) => knot < step), knots.findIndex((knot) => knot > step)]
    const [before, after] = [step - knots[left]!, knots[right]! - step]
    const scatter = deviation * Math.sqrt((before * after) / (before + after) / steps)
    for (let path = 0; path < count; path += 1) {
      const [from, to] = [columns[left * count + path]!, columns[right * count + path]!]
      const middle = (from * after + to * before) / (before + after)
      sum += normalCdf((upper - middle) / scatter) - normalCdf((lower - middle) / scatter)
    }
  }
  return sum
}

test.each([[[0, 1]], [[0, 4]], [[0, 2, 4, 6, 8]], [[0, 3, 7, 10, 12]], [[0, 1, 2, 3]]])(
  'at knots %j adds up the probability of each step in each of many ranges',
  (places) => {
    const knots = Int32Array.from(places)
    const count = 500
    const columns = randomColumns(knots, count)
    const ranges = [
      { lower: -0.2, upper: 0.3 },
      { lower: 0.01, upper: 0.02 },
      { lower: -9, upper: 9 },
      { lower: 0.25, upper: Number.POSITIVE_INFINITY },
      { lower: Number.NEGATIVE_INFINITY, upper: -0.6 },
      everything,
    ]
    const occupancy = createOccupancy({ ranges, knots, mean, deviation })
    occupancy.add(columns, count)
    const sums = occupancy.take()
    for (const [index, range] of ranges.entries()) {
      expect(Math.abs(sums[index]! - alone(columns, count, knots, range))).toBeLessThan(1e-3 * count)
    }
    expect(occupancy.take()).toEqual(ranges.map(() => 0))
  },
)
