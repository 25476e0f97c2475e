import { expect, it } from 'vitest'
import { shareOf } from './fit-removal.ts'

it.each([
  [1000n, 100, 1000n],
  [1000n, 50, 500n],
  [999n, 50, 499n],
  [10n ** 30n + 1n, 100, 10n ** 30n + 1n],
  [10n ** 30n, 33.3, 333n * 10n ** 27n],
  [10n ** 30n, 0.000001, 10n ** 22n],
  [3n, 1, 0n],
] as const)('of %d, %d percent is %d', (amount, percentage, share) => {
  expect(shareOf(amount, percentage)).toBe(share)
})
