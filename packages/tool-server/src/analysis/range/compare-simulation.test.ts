import {
  createSimulation,
  expectedIl,
  type PriceBounds,
  stayInRangeProbability,
  terminalInRangeProbability,
  timeInRange,
} from '@svc/lp-math'
import { expect, test } from 'vitest'
import { compareSimulation, type SimulationCheck } from '../../tools/format-simulation.ts'

const model = { price: 2_000, sigma: 0.8, drift: 0, years: 30 / 365 }
const bounds = [0.05, 0.1, 0.25].map((half) => ({ lower: 2_000 * (1 - half), upper: 2_000 * (1 + half) }))

const truthOf = (range: PriceBounds) => ({
  timeInRange: timeInRange(range, model),
  terminalInRangeProbability: terminalInRangeProbability(range, model),
  stayInRangeProbability: stayInRangeProbability(range, model),
  ilPct: 100 * expectedIl(range, model),
})

const distance = ({ simulated, analytic, standardError }: SimulationCheck) =>
  Math.abs(simulated - analytic) / standardError

test('beyond 4 of the errors told lies a figure as seldom as of a normal error, and where its deviate says so', () => {
  const truths = bounds.map(truthOf)
  const far: SimulationCheck[] = []
  const checks = Array.from({ length: 100 }, (_, seed) => {
    const simulation = createSimulation({ model, bounds, paths: 2_048, steps: 8, seed })
    simulation.advance(simulation.paths)
    return simulation.result().flatMap((of, range) => {
      const wrong = { ...truths[range]!, timeInRange: 1.002 * truths[range]!.timeInRange }
      far.push(...compareSimulation(of, wrong).filter((one) => distance(one) > 4 !== one.standardErrorsOff > 4))
      return compareSimulation(of, truths[range]!)
    })
  }).flat()
  expect(far).toEqual([])
  const beyond = (most: number) => checks.filter((one) => distance(one) > most).length
  expect(checks).toHaveLength(1_200)
  expect(beyond(4)).toBe(0)
  // By the scatter of the 8 replicates itself, which is 2.15 times narrower, some do.
  expect(beyond(4 / 2.15)).toBeGreaterThan(2)
})
