import { expect, it } from 'vitest'
import { polygon } from '../chains/polygon.ts'
import { boundedTip } from './fees.ts'

const gwei = 10n ** 9n

it('cuts a tip to twice the base fee, or to what the chain takes as ordinary where that is more', () => {
  expect(boundedTip(12_000n * gwei, 10n * gwei, {})).toBe(20n * gwei)
  expect(boundedTip(12_000n * gwei, 1n, {})).toBe(5n * gwei)
  expect(boundedTip(2n * gwei, gwei, {})).toBe(2n * gwei)
})

it('leaves a chain that takes no lower tip its own', () => {
  expect(boundedTip(30n * gwei, 1n, polygon)).toBe(30n * gwei)
  expect(boundedTip(12_000n * gwei, 1n, polygon)).toBe(100n * gwei)
})
