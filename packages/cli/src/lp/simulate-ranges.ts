import { createSimulation, type Estimate, type PriceModel, type RangeAnalysis } from '@svc/lp-math'
import { figure } from './figure.ts'

/** Simulates ranges, the first of which is the chosen one, and lays what comes out beside the closed forms. */
export function simulateRanges(
  ranges: readonly RangeAnalysis[],
  model: PriceModel,
  { simulations, seed, onProgress }: SimulateRangesOptions,
): SimulatedRanges {
  const simulation = createSimulation({
    model,
    bounds: ranges.map(({ bounds }) => bounds),
    paths: simulations,
    steps: 32,
    seed,
  })
  for (let done = 0; done < simulation.paths; onProgress(done, simulation.paths)) done = simulation.advance(2_000)
  const estimates = simulation.result()
  const checks = ranges.map((range, index) => {
    const of = estimates[index]
    if (of === undefined) throw new Error('every range was simulated')
    return [
      check('inRangeProbability', of.timeInRange, range.timeInRange),
      check('terminalInRangeProbability', of.terminalInRange, range.terminalInRangeProbability),
      check('stayInRangeProbability', of.stayInRange, range.stayInRangeProbability),
      check('expectedIlPct', inPercent(of.il), range.ilPct),
    ]
  })
  const outcomes = estimates[0]?.ilPercentiles
  const percentiles = (of: (estimate: Estimate) => number) => ({
    p5: figure(100 * (outcomes === undefined ? 0 : of(outcomes.p5))),
    p50: figure(100 * (outcomes === undefined ? 0 : of(outcomes.p50))),
    p95: figure(100 * (outcomes === undefined ? 0 : of(outcomes.p95))),
  })
  return {
    seed,
    paths: simulation.paths,
    maxStandardErrorsOff: Math.max(...checks.flat().map(({ standardErrorsOff }) => standardErrorsOff)),
    estimates: {
      ...Object.fromEntries((checks[0] ?? []).map(({ quantity, ...numbers }) => [quantity, numbers])),
      ilPctPercentiles: percentiles(({ mean }) => mean),
      ilPctPercentileErrors: percentiles(({ standardError }) => standardError),
    },
  }
}

export type SimulateRangesOptions = {
  readonly simulations: number
  readonly seed: number
  readonly onProgress: (done: number, all: number) => void
}

export type SimulatedRanges = {
  readonly seed: number
  readonly paths: number
  /** Over all ranges. */
  readonly maxStandardErrorsOff: number
  /** Of the chosen range; its percentiles are of V/HODL - 1 in percent, p5 a bad outcome. */
  readonly estimates: {
    readonly ilPctPercentiles: Percentiles
    readonly ilPctPercentileErrors: Percentiles
  }
}

type Percentiles = Readonly<Record<'p5' | 'p50' | 'p95', number>>

function check(quantity: string, { mean, standardError }: Estimate, analytic: number) {
  return {
    quantity,
    simulated: figure(mean),
    standardError: figure(standardError),
    analytic: figure(analytic),
    // Differences this small are none: both sides are sums of doubles.
    standardErrorsOff: figure(Math.abs(mean - analytic) / Math.max(standardError, 1e-8)),
  }
}

function inPercent({ mean, standardError }: Estimate): Estimate {
  return { mean: 100 * mean, standardError: 100 * standardError }
}
