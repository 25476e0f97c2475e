import { describe, expect, test } from 'vitest'
import { expectedIl } from '../closed-form/expected-il.ts'
import { stayInRangeProbability, terminalInRangeProbability } from '../closed-form/stay-in-range-probability.ts'
import { timeInRange } from '../closed-form/occupation.ts'
import { createSimulation } from './create-simulation.ts'
import type { RangeEstimates } from './range-estimates.ts'
import { farthestOff, standardErrorsOff } from './estimate.ts'

const price = 2_000
const halves = [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75]
const bounds = [
  ...halves.map((half) => ({ lower: price * (1 - half), upper: price * (1 + half) })),
  { lower: 1_500, upper: 2_200 },
  { lower: 0, upper: Number.POSITIVE_INFINITY },
]

/** How far the farthest of the four figures of all ranges lies, for each seed; each truth multiplied by `wrong`. */
function farthest({ sigma, days, paths, seeds }: Run, wrong = 1): number[] {
  const model = { price, sigma, drift: 0, years: days / 365 }
  const truths = bounds.map((range) => [
    timeInRange(range, model),
    terminalInRangeProbability(range, model),
    stayInRangeProbability(range, model),
    expectedIl(range, model),
  ])
  const off = (of: RangeEstimates, index: number) =>
    [of.timeInRange, of.terminalInRange, of.stayInRange, of.il].map((estimate, figure) =>
      standardErrorsOff(estimate, wrong * truths[index]![figure]!, of.replicates),
    )
  return Array.from({ length: seeds }, (_, seed) => {
    const simulation = createSimulation({ model, bounds, paths, steps: 32, seed })
    simulation.advance(simulation.paths)
    return farthestOff(simulation.result().flatMap(off))
  })
}

type Run = { readonly sigma: number; readonly days: number; readonly paths: number; readonly seeds: number }

// At 75 % either way 6 paths in 100,000 leave within 30 days of 50 % a year: most simulations see none, whatever replicates agree on.
describe.each<Run>([
  { sigma: 0.8, days: 30, paths: 5_000, seeds: 40 },
  { sigma: 0.5, days: 30, paths: 5_000, seeds: 40 },
  { sigma: 0.8, days: 7, paths: 5_000, seeds: 40 },
  { sigma: 0.05, days: 30, paths: 5_000, seeds: 20 },
  { sigma: 5, days: 365, paths: 5_000, seeds: 20 },
  { sigma: 0.8, days: 30, paths: 1_000, seeds: 100 },
  { sigma: 0.8, days: 30, paths: 64, seeds: 200 },
  { sigma: 0.8, days: 30, paths: 8, seeds: 100 },
])('%o', (run) => {
  test('no more calls than chance explains lie beyond 4 of their own standard errors', () => {
    const beyond = farthest(run).filter((most) => most > 4).length
    expect(beyond / run.seeds).toBeLessThanOrEqual(0.01)
  })
})

test('a closed form that is 1 % wrong is found by every seed', () => {
  expect(Math.min(...farthest({ sigma: 0.8, days: 30, paths: 5_000, seeds: 10 }, 1.01))).toBeGreaterThan(4)
})

test.each([
  [5.408, 7, 3.29053],
  [4.781, 9, 3.29053],
  [2.365, 7, 1.95996],
  [2.262, 9, 1.95996],
  [3.291, 1e9, 3.291],
])('a distance of %s of %s degrees of freedom is as unlikely as the normal %s', (t, freedom, normal) => {
  expect(Math.abs(standardErrorsOff({ mean: 10 + 2 * t, standardError: 2 }, 10, freedom + 1) - normal)).toBeLessThan(
    0.03,
  )
})

test('the farthest of many counts for as much as it is unlikely that one of so many lies so far', () => {
  expect(farthestOff([0.5, 1])).toBe(0)
  expect(farthestOff(Array.from({ length: 44 }, () => 5.2))).toBeCloseTo(4, 1)
  expect(farthestOff([1, 5.2])).toBeGreaterThan(4.5)
  expect(farthestOff([60])).toBe(60)
})

test('what hardly a path decides is as sure as such a path counts for', () => {
  const model = { price, sigma: 0.8, drift: 0, years: 30 / 365 }
  const narrow = [0.1, 0.00005].map((half) => ({ lower: price * (1 - half), upper: price * (1 + half) }))
  const simulation = createSimulation({ model, bounds: narrow, paths: 5_000, steps: 32, seed: 1 })
  simulation.advance(simulation.paths)
  const [ten, tick] = simulation.result()
  expect(ten!.stayInRange.standardError).toBeLessThan(5e-6)
  expect(Math.abs(ten!.stayInRange.mean - stayInRangeProbability(narrow[0]!, model))).toBeLessThan(
    4 * ten!.stayInRange.standardError,
  )
  expect(tick!.timeInRange.standardError).toBeLessThan(3e-5)
})
