import {
  type Estimate,
  farthestOff,
  type RangeAnalysis,
  type RangeEstimates,
  standardErrorsOff,
  studentDeviate,
} from '@svc/lp-math'
import { figure } from '../analysis/figures.ts'
import type { RangeAnswer } from '../analysis/range/range-answer.ts'

/**
 * How `optimize_lp_range` tells of a simulation: the first range beside its closed forms, percentiles of V/HODL - 1 in percent (p5 a bad
 * outcome) and their standard errors, and how far the farthest figure of all ranges is off its closed form.
 */
export function formatSimulation(ranges: readonly RangeAnalysis[], estimates: readonly RangeEstimates[]): Checked {
  const checks = ranges.flatMap((range, index) => {
    const of = estimates[index]
    return of === undefined ? [] : compareSimulation(of, range)
  })
  const [first] = estimates
  const percentiles = (of: (estimate: Estimate) => number) => ({
    p5: figure(100 * (first === undefined ? 0 : of(first.ilPercentiles.p5))),
    p50: figure(100 * (first === undefined ? 0 : of(first.ilPercentiles.p50))),
    p95: figure(100 * (first === undefined ? 0 : of(first.ilPercentiles.p95))),
  })
  return {
    maxStandardErrorsOff: figure(farthestOff(checks.map((one) => one.standardErrorsOff))),
    estimates: {
      ...Object.fromEntries(
        checks.slice(0, 4).map(({ quantity, simulated, standardError, analytic, standardErrorsOff }) => [
          quantity,
          {
            simulated: figure(simulated),
            standardError: figure(standardError),
            analytic: figure(analytic),
            standardErrorsOff: figure(standardErrorsOff),
          },
        ]),
      ),
      ilPctPercentiles: percentiles(({ mean }) => mean),
      ilPctPercentileErrors: percentiles(({ standardError }) => standardError),
    },
  }
}

type Checked = Pick<RangeAnswer['simulation'], 'maxStandardErrorsOff' | 'estimates'>

/**
 * A simulated range beside its closed forms; percents and probabilities as results tell them. The scatter of a few replicates is itself
 * uncertain, so that beyond 4 of it lies one figure in 200, not one in 16,000: standard errors are reported wider, by Student's t, so that
 * whoever divides by them finds one beyond 4 as seldom as of a normal error.
 */
export function compareSimulation(estimates: RangeEstimates, analysis: ClosedForms): readonly SimulationCheck[] {
  const { timeInRange, terminalInRange, stayInRange, il, replicates } = estimates
  const check = (quantity: string, estimate: Estimate, analytic: number): SimulationCheck => {
    const { mean: simulated } = estimate
    const standardError = (estimate.standardError * studentDeviate(4, replicates - 1)) / 4
    const off = standardErrorsOff(estimate, analytic, replicates)
    return { quantity, simulated, standardError, analytic, standardErrorsOff: off }
  }
  const ilPct = { mean: 100 * il.mean, standardError: 100 * il.standardError }
  return [
    check('inRangeProbability', timeInRange, analysis.timeInRange),
    check('terminalInRangeProbability', terminalInRange, analysis.terminalInRangeProbability),
    check('stayInRangeProbability', stayInRange, analysis.stayInRangeProbability),
    check('expectedIlPct', ilPct, analysis.ilPct),
  ]
}

type ClosedForms = Pick<
  RangeAnalysis,
  'timeInRange' | 'terminalInRangeProbability' | 'stayInRangeProbability' | 'ilPct'
>

export type SimulationCheck = {
  readonly quantity: string
  readonly simulated: number
  /** Beyond 4 of it lies a figure as seldom as of a normal error; 1.4 to 2.2 times the scatter of 15 to 8 replicates. */
  readonly standardError: number
  readonly analytic: number
  /** How many errors of the scatter itself the simulation lies off, as a normal deviate: above 4 where the difference is above 4 of `standardError`. */
  readonly standardErrorsOff: number
}
