import { expect, test } from 'vitest'
import { createRandom } from '../random/create-random.ts'
import { createOccupancy } from './create-occupancy.ts'

test('counts in each of many overlapping ranges what looking at each alone would', () => {
  const random = createRandom(1)
  const ranges = Array.from({ length: 40 }, () => {
    const [a, b] = [random.normal(), random.normal()]
    return { lower: Math.min(a, b), upper: Math.max(a, b) }
  })
  ranges.push({ lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY }, { ...ranges[0]! })
  ranges.push({ lower: Number.NEGATIVE_INFINITY, upper: 0 }, { lower: 0, upper: Number.POSITIVE_INFINITY })
  const path = Float64Array.from({ length: 1_000 }, () => 1.5 * random.normal())
  path.set(ranges.slice(0, 40).flatMap(({ lower, upper }) => [lower, upper]))
  const occupancy = createOccupancy(ranges)
  const alone = (from: number, to: number) =>
    ranges.map(({ lower, upper }) => path.subarray(from, to).filter((value) => value >= lower && value < upper).length)
  occupancy.add(path, 10, 500)
  occupancy.add(path, 500, 900)
  expect(occupancy.take()).toEqual(alone(10, 900))
  occupancy.add(path, 3, 3)
  expect(occupancy.take()).toEqual(ranges.map(() => 0))
})

test('a path that comes to lie on the upper bound has left, and on the lower one has come', () => {
  const occupancy = createOccupancy([{ lower: 1, upper: 2 }])
  occupancy.add(Float64Array.of(1.5, 2, 1, 2, 0.5), 0, 5)
  expect(occupancy.take()).toEqual([2])
})
