import type { Estimate, RangeAnalysis, RangeEstimates } from '@svc/lp-math'
import { compareSimulation } from '../analysis/range/compare-simulation.ts'
import { figure } from './figure.ts'

/**
 * How `optimize_lp_range` tells of a simulation: the first range beside its closed forms, percentiles of V/HODL - 1 in percent (p5 a bad
 * outcome) and their standard errors, and how far the farthest figure of all ranges is off its closed form.
 */
export function formatSimulation(ranges: readonly RangeAnalysis[], estimates: readonly RangeEstimates[]) {
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
    maxStandardErrorsOff: figure(Math.max(...checks.map((one) => one.standardErrorsOff))),
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
