import { describe, expect, test } from 'vitest'
import { expectedIl, expectedPositionValue } from '../closed-form/expected-il.ts'
import { positionValue } from '../closed-form/position-value.ts'
import type { PriceBounds, PriceModel } from '../closed-form/price-model.ts'
import { stayInRangeProbability, terminalInRangeProbability } from '../closed-form/stay-in-range-probability.ts'
import { timeInRange } from '../closed-form/occupation.ts'
import { createSimulation, type SimulationOptions } from './create-simulation.ts'
import type { Estimate } from './estimate.ts'

const model: PriceModel = { price: 2_000, sigma: 0.8, drift: 0, years: 30 / 365 }
const around = (half: number) => ({ lower: 2_000 * (1 - half), upper: 2_000 * (1 + half) })
const everything = { lower: 0, upper: Number.POSITIVE_INFINITY }
const bounds = [around(0.1), around(0.25), around(0.5), { lower: 2_100, upper: 2_600 }, everything]

function simulated(options: Partial<SimulationOptions> = {}) {
  const simulation = createSimulation({ model, bounds, paths: 5_000, steps: 30, seed: 1, ...options })
  simulation.advance(simulation.paths)
  return simulation.result()
}

const exact: Record<string, (range: PriceBounds, model: PriceModel) => number> = {
  timeInRange,
  terminalInRange: terminalInRangeProbability,
  stayInRange: stayInRangeProbability,
  il: expectedIl,
  positionValue: (range, model) => expectedPositionValue(range, model) / positionValue(range, model.price),
}

/** What lies further from the closed form than four standard errors and a millionth. */
function misses(results: ReturnType<typeof simulated>, model: PriceModel) {
  return results.flatMap((result) =>
    Object.entries(exact).flatMap(([name, closedForm]) => {
      const { mean, standardError } = result[name as keyof typeof result] as Estimate
      const truth = closedForm(result.bounds, model)
      return Math.abs(mean - truth) <= 4 * standardError + 1e-6 ? [] : [{ name, mean, standardError, truth }]
    }),
  )
}

describe('5,000 simulations of 30 days', () => {
  test.each([1, 2, 3, 4])('seed %s: agree with the closed forms within 4 standard errors', (seed) => {
    const results = simulated({ seed })
    expect(misses(results, model)).toEqual([])
    for (const { bounds: range, timeInRange: time, il } of results) {
      expect(Math.abs(time.mean - timeInRange(range, model))).toBeLessThan(0.002)
      expect(Math.abs(il.mean - expectedIl(range, model))).toBeLessThan(0.0002)
    }
  })

  test('say how far they may be off: neither too much nor too little', () => {
    const scores = Array.from({ length: 12 }, (_, seed) => simulated({ seed: 100 + seed, paths: 1_024 })).flatMap(
      ([first]) =>
        Object.entries(exact).map(([name, closedForm]) => {
          const { mean, standardError } = first![name as keyof typeof first] as Estimate
          return ((mean - closedForm(first!.bounds, model)) / standardError) ** 2
        }),
    )
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
    expect(mean).toBeGreaterThan(0.4)
    expect(mean).toBeLessThan(2.5)
  })
})

test.each<Partial<PriceModel> & { steps?: number }>([
  { sigma: 5 },
  { sigma: 10, years: 5 },
  { sigma: 0.02, years: 5 },
  { sigma: 0.6, years: 1 / 365 / 24 / 12 },
  { drift: 3, years: 1 },
  { drift: -10, years: 2 },
  { steps: 1 },
  { steps: 7 },
  { steps: 100 },
  { steps: 1_000 },
])('agree with the closed forms at %o', ({ steps = 30, ...change }) => {
  const other = { ...model, ...change }
  const narrow = { lower: 2_000 / 1.0001 ** 3, upper: 2_000 * 1.0001 ** 7 }
  const results = simulated({ model: other, bounds: [...bounds, narrow], steps, paths: 2_048 })
  expect(misses(results, other)).toEqual([])
})

describe('a certain price', () => {
  test('that rests', () => {
    const [inside, , , outside] = simulated({ model: { ...model, sigma: 0 }, paths: 16 })
    const certain = (mean: number) => ({ mean, standardError: 0 })
    const resting = { timeInRange: certain(1), terminalInRange: certain(1), stayInRange: certain(1), il: certain(0) }
    expect(inside).toMatchObject({ ...resting, positionValue: certain(1) })
    expect(outside).toMatchObject({ timeInRange: certain(0), stayInRange: certain(0), positionValue: certain(1) })
  })

  test('that leaves the range', () => {
    const [inside] = simulated({ model: { ...model, sigma: 0, drift: 2 }, paths: 16 })
    expect(inside!.timeInRange.mean).toBeCloseTo(Math.log(1.1) / (2 * model.years), 12)
    expect(inside).toMatchObject({ terminalInRange: { mean: 0 }, stayInRange: { mean: 0 } })
    expect(inside!.il.standardError).toBe(0)
  })
})

test('percentiles and shortfall are those of the losses at the quantiles of the price', () => {
  const [full] = simulated({ bounds: [everything], paths: 50_000 })
  const z = { p95: 0.0627067779, p50: 0.6744897502, p5: 1.9599639845 }
  for (const [name, quantile] of Object.entries(z) as ['p5' | 'p50' | 'p95', number][]) {
    const { mean, standardError } = full!.ilPercentiles[name]
    // The full range loses what depends on the size of the log return alone, up to the small mean of it.
    const root = Math.exp((model.sigma * Math.sqrt(model.years) * quantile) / 2)
    expect(mean).toBeCloseTo((2 * root) / (1 + root * root) - 1, 3)
    expect(standardError).toBeLessThan(1e-4)
  }
  const { ilPercentiles, ilShortfall } = full!
  expect(ilShortfall.mean).toBeLessThan(ilPercentiles.p5.mean)
  expect(ilShortfall.mean).toBeGreaterThan(2 * ilPercentiles.p5.mean)
})

describe('portions', () => {
  test.each([30, 1_000])('of %s steps do not change the result, and what is done is told', (steps) => {
    const simulation = createSimulation({ model, bounds, paths: 1_000, steps, seed: 1 })
    const done: number[] = []
    while (done.at(-1) !== simulation.paths) done.push(simulation.advance(377))
    expect(done).toEqual([377, 754, 1024])
    expect(simulation.result()).toEqual(simulated({ paths: 1_000, steps }))
    expect(simulated({ paths: 1_000, steps, seed: 2 })).not.toEqual(simulated({ paths: 1_000, steps }))
  })

  test('give no result before the last', () => {
    const simulation = createSimulation({ model, bounds, paths: 1_000, steps: 30, seed: 1 })
    simulation.advance(999)
    expect(() => simulation.result()).toThrow(expect.objectContaining({ code: 'SIMULATION_UNFINISHED' }))
  })
})

test.each<[string, Partial<SimulationOptions>]>([
  ['COUNT_OUT_OF_RANGE', { paths: 7 }],
  ['COUNT_OUT_OF_RANGE', { paths: 10_000_001 }],
  ['COUNT_OUT_OF_RANGE', { steps: 0 }],
  ['COUNT_OUT_OF_RANGE', { steps: 1.5 }],
  ['COUNT_OUT_OF_RANGE', { replicates: 1 }],
  ['COUNT_OUT_OF_RANGE', { bounds: [] }],
  ['SEED_OUT_OF_RANGE', { seed: -1 }],
  ['RANGE_EMPTY', { bounds: [{ lower: 2, upper: 2 }] }],
  ['PRICE_OUT_OF_RANGE', { bounds: [{ lower: -1, upper: 2 }] }],
  ['SIGMA_OUT_OF_RANGE', { model: { ...model, sigma: Number.NaN } }],
  ['YEARS_OUT_OF_RANGE', { model: { ...model, years: 0 } }],
])('%s refuses %o', (code, options) => {
  expect(() => simulated(options)).toThrow(expect.objectContaining({ code }))
})

test('a wall that hardly a path ends beyond, and ends that all but a few lie beyond, make nothing look sure', () => {
  const wild = { price: 1, sigma: 4, drift: 0, years: 30 / 365 }
  const wide = { lower: 0.378, upper: 18.35 }
  const wilder = { price: 1, sigma: 5, drift: 0, years: 1 }
  const narrow = { lower: 0.9, upper: 1.1 }
  const off = ({ mean, standardError }: Estimate, truth: number) => Math.abs(mean - truth) / standardError
  for (const seed of [10, 27, 59, 69, 86, 194, 210]) {
    const [stay] = simulated({ model: wild, bounds: [wide], paths: 1_000, steps: 32, seed })
    expect(off(stay!.stayInRange, stayInRangeProbability(wide, wild))).toBeLessThan(6)
    const [lost] = simulated({ model: wilder, bounds: [narrow], paths: 64, steps: 32, seed })
    expect(off(lost!.il, expectedIl(narrow, wilder))).toBeLessThan(6)
  }
})
