import { expect, it } from 'vitest'
import { pastBlocks } from './past-blocks.ts'

it.each([
  // Twelve seconds: half an hour, ten minutes, and 120 blocks, which are 24 minutes.
  [12, 0, [150, 50, 120], [150, 50, 120, 100, 25]],
  // Two seconds: 120 blocks would be four minutes.
  [2, 0, [900, 300], [900, 300, 600, 150]],
  [0.25, 0, [7_200, 2_400], [7_200, 2_400, 4_800, 1_200]],
  // All later by the same time, at most.
  [12, 240, [130, 30, 120], [130, 30, 120, 80, 5]],
  // Slower than what is asked for: the same block once, and never the head.
  [900, 0, [2, 1], [2, 1]],
])('blocks of %d s, %d s later', (blockTime, later, sums, moments) => {
  const offsets = (numbers: readonly bigint[]) => numbers.map((number) => Number(1_000_000n - number))
  const { forSums, forMoments } = pastBlocks(1_000_000n, blockTime, later)
  expect([offsets(forSums), offsets(forMoments)]).toEqual([sums, moments])
})

it('asks for no block before the first', () => {
  expect(pastBlocks(100n, 12, 0)).toEqual({ forSums: [50n], forMoments: [50n, 75n] })
})
