import { expect, test } from 'vitest'
import { expectedPositionValue } from '../closed-form/expected-il.ts'
import { positionValue } from '../closed-form/position-value.ts'
import { timeInRange } from '../closed-form/occupation.ts'
import { type RebalancingOptions, simulateRebalancing } from './simulate-rebalancing.ts'

const model = { price: 2_000, sigma: 0.8, drift: 0, years: 30 / 365 }
const bounds = { lower: 1_800, upper: 2_200 }
const options: RebalancingOptions = {
  model,
  bounds,
  threshold: 0.8,
  costPerRebalance: 0.002,
  paths: 2_048,
  steps: 720,
  seed: 1,
}

test('a price that climbs by the hour moves the position each time six of the last 24 hours were out of range', () => {
  const climbing = { price: 1, sigma: 0, drift: (0.001 * 100) / (100 / 8_760), years: 100 / 8_760 }
  const range = { lower: Math.exp(-0.0055), upper: Math.exp(0.0055) }
  const rule = { ...options, model: climbing, bounds: range, steps: 100, paths: 16 }
  const free = simulateRebalancing({ ...rule, threshold: 0.25, costPerRebalance: 0 })
  // In at hours 0 to 5, out at 6 to 11, and then around the price of hour 11.
  expect(free.rebalances).toEqual({ mean: 9, standardError: 0 })
  expect(free.timeInRange.mean).toBeCloseTo((9 * 5.5 + 1) / 100, 12)
  const paid = simulateRebalancing({ ...rule, threshold: 0.25, costPerRebalance: 0.01 })
  expect(paid.positionValue.mean / free.positionValue.mean).toBeCloseTo(0.99 ** 9, 12)
  const half = positionValue(range, range.upper) / positionValue(range, 1)
  expect(free.positionValue.mean).toBeCloseTo(
    half ** 9 * (positionValue(range, Math.exp(0.001)) / positionValue(range, 1)),
    9,
  )
})

test('moving keeps the position in range for longer, at the cost of what it sells low and of the moves', () => {
  const held = {
    time: timeInRange(bounds, model),
    value: expectedPositionValue(bounds, model) / positionValue(bounds, 2_000),
  }
  const moved = simulateRebalancing(options)
  const eager = simulateRebalancing({ ...options, threshold: 0.2 })
  expect(moved.timeInRange.mean).toBeGreaterThan(held.time + 0.1)
  expect(eager.timeInRange.mean).toBeGreaterThan(moved.timeInRange.mean + 0.02)
  expect(eager.rebalances.mean).toBeGreaterThan(moved.rebalances.mean)
  expect(moved.positionValue.mean).toBeLessThan(held.value)
})

test('the same seed gives the same result; another lies within the standard errors', () => {
  const [first, again, other] = [1, 1, 2].map((seed) => simulateRebalancing({ ...options, seed }))
  expect(again).toEqual(first)
  for (const name of ['rebalances', 'timeInRange', 'positionValue'] as const) {
    const [a, b] = [first![name], other![name]]
    expect(a.standardError).toBeGreaterThan(0)
    expect(Math.abs(a.mean - b.mean)).toBeLessThan(5 * Math.hypot(a.standardError, b.standardError))
  }
})

test.each<[string, Partial<RebalancingOptions>]>([
  ['PROBABILITY_OUT_OF_RANGE', { threshold: 1.1 }],
  ['PROBABILITY_OUT_OF_RANGE', { costPerRebalance: Number.NaN }],
  ['PRICE_OUT_OF_RANGE', { bounds: { lower: 2_100, upper: 2_200 } }],
  ['COUNT_OUT_OF_RANGE', { paths: 4 }],
  ['COUNT_OUT_OF_RANGE', { steps: 0 }],
])('%s refuses %o', (code, change) => {
  expect(() => simulateRebalancing({ ...options, ...change })).toThrow(expect.objectContaining({ code }))
})
