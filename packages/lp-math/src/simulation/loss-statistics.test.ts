import { expect, test } from 'vitest'
import { lossStatistics } from './loss-statistics.ts'

test('sorts losses that rise to a peak and fall, and reads mean, percentiles and the worst twentieth from them', () => {
  const losses = Float64Array.from({ length: 50 }, (_, index) => -Math.abs(index - 17.3) - (index % 2) * 0.001)
  const sorted = new Float64Array(50)
  const { mean, p5, p50, p95, shortfall } = lossStatistics(losses, sorted)
  const reference = losses.toSorted()
  expect(sorted).toEqual(reference)
  const between = (rank: number) => (reference[Math.floor(rank)]! + reference[Math.ceil(rank)]!) / 2
  expect(mean).toBeCloseTo(losses.reduce((sum, loss) => sum + loss) / 50, 12)
  expect(p50).toBeCloseTo(between(24.5), 12)
  expect(p5).toBeCloseTo(reference[2]! + 0.45 * (reference[3]! - reference[2]!), 12)
  expect(p95).toBeCloseTo(reference[46]! + 0.55 * (reference[47]! - reference[46]!), 12)
  expect(shortfall).toBeCloseTo((reference[0]! + reference[1]! + reference[2]! / 2) / 2.5, 12)
})
