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
  const percentile = (estimate: Estimate | undefined) => ({
    value: figure(100 * (estimate?.mean ?? 0)),
    standardError: figure(100 * (estimate?.standardError ?? 0)),
  })
  return {
    seed,
    paths: simulation.paths,
    checks: checks[0] ?? [],
    ilPctPercentiles: { p5: percentile(outcomes?.p5), p50: percentile(outcomes?.p50), p95: percentile(outcomes?.p95) },
    maxStandardErrorsOff: Math.max(...checks.flat().map(({ standardErrorsOff }) => standardErrorsOff)),
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
  /** Of the chosen range. */
  readonly checks: readonly Check[]
  /** V/HODL - 1 of the chosen range in percent: p5 is a bad outcome. */
  readonly ilPctPercentiles: Readonly<
    Record<'p5' | 'p50' | 'p95', { readonly value: number; readonly standardError: number }>
  >
  /** Over all ranges. */
  readonly maxStandardErrorsOff: number
}

type Check = ReturnType<typeof check>

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
