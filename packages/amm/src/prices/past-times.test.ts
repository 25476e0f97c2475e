import { expect, it } from 'vitest'
import { pastTimes } from './source-queries.ts'

const every = (blockTimeSeconds: number) => ({ blockTimeSeconds, maxHeadAgeSeconds: 60 })

it.each([
  // Twelve seconds: half an hour, ten minutes, and 120 blocks, which are 24 minutes.
  [12, 0, [150, 50, 120, 4_200, 5_400, 6_600], [24, 48, 72, 96, 120, 4_200, 5_400, 6_600]],
  // Two seconds: 120 blocks would be four minutes.
  [2, 0, [900, 300, 25_200, 32_400, 39_600], [144, 288, 432, 576, 720, 25_200, 32_400, 39_600]],
  [0.25, 0, [7_200, 2_400, 201_600, 259_200, 316_800], [1_152, 2_304, 3_456, 4_608, 5_760, 201_600, 259_200, 316_800]],
  // All later by the same time, at most.
  [12, 240, [130, 30, 120, 4_180, 5_380, 6_580], [4, 28, 52, 76, 100, 4_180, 5_380, 6_580]],
  // Slower than what is asked for: the same block once, and never the head.
  [900, 0, [2, 1, 56, 72, 88], [1, 2, 56, 72, 88]],
])('blocks of %d s, %d s later', (blockTime, later, sums, moments) => {
  const offsets = (numbers: readonly bigint[]) => numbers.map((number) => Number(1_000_000n - number))
  const { forSums, forMoments } = pastTimes(1_000_000n, every(blockTime), (below) => Math.min(later, below - 1))
  expect([offsets(forSums), offsets(forMoments)]).toEqual([sums, moments])
})

it('asks for no block before the first', () => {
  expect(pastTimes(100n, every(12), () => 0)).toMatchObject({ forSums: [50n], forMoments: [76n, 52n, 28n, 4n] })
})

it('asks for the oldest block that is kept where blocks come on demand, however young it may be', () => {
  const onDemand = { blockTimeSeconds: 1, maxHeadAgeSeconds: null }
  expect(pastTimes(2_000n, onDemand, () => 0).forSums).toEqual([200n, 1_400n, 1_880n])
})

it('draws each block and each second by itself', () => {
  const drawn: number[] = []
  const { forMoments, oracleAges } = pastTimes(1_000_000n, every(1), (below) => {
    drawn.push(below)
    return drawn.length % below
  })
  expect(drawn).toHaveLength(3 + 5 + 3 + 20)
  expect(new Set(forMoments.map((number) => Number(number % 60n))).size).toBeGreaterThan(1)
  // One of each ninety seconds, and with the second before it within half an hour.
  expect(oracleAges.map((age) => Math.floor((age - 1) / 90))).toEqual(Array.from({ length: 20 }, (_, part) => part))
  expect(pastTimes(1n, every(1), (below) => below - 1).oracleAges.at(-1)).toBe(1_799)
})
