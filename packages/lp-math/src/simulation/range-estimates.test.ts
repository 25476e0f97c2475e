import { expect, test } from 'vitest'
import { lossPercentiles } from './range-estimates.ts'

const steep = (_: unknown, index: number) => -Math.abs(index - 17.3) - (index % 2) * 0.001

test.each([
  ['rise to a peak and fall', 18, Float64Array.from({ length: 50 }, steep)],
  ['only rise', 50, Float64Array.from({ length: 50 }, (_, index) => index - 60)],
  ['only fall', 0, Float64Array.from({ length: 50 }, (_, index) => -index)],
  ['are all alike', 0, new Float64Array(50).fill(-0.1)],
  [
    'rest below, at the peak and above',
    20,
    Float64Array.from({ length: 50 }, (_, at) => [-3, -2, 0, 0, -1][Math.floor(at / 10)]!),
  ],
  ['rest at the ends', 30, Float64Array.from({ length: 50 }, (_, at) => (at < 25 ? -2 : at > 34 ? -1 : 0))],
])('reads percentiles and the worst twentieth from losses that %s', (_, peak, losses) => {
  const { p5, p50, p95, shortfall } = lossPercentiles(losses, peak)
  const sorted = losses.toSorted()
  expect(p50).toBeCloseTo((sorted[24]! + sorted[25]!) / 2, 12)
  expect(p5).toBeCloseTo(sorted[2]! + 0.45 * (sorted[3]! - sorted[2]!), 12)
  expect(p95).toBeCloseTo(sorted[46]! + 0.55 * (sorted[47]! - sorted[46]!), 12)
  expect(shortfall).toBeCloseTo((sorted[0]! + sorted[1]! + sorted[2]! / 2) / 2.5, 12)
})
