import type { Estimate, RangeAnalysis, RangeEstimates } from '@svc/lp-math'

/** A simulated range beside its closed forms; percents and probabilities as results tell them. */
export function compareSimulation(estimates: RangeEstimates, analysis: RangeAnalysis): readonly SimulationCheck[] {
  const { timeInRange, terminalInRange, stayInRange, il } = estimates
  const ilPct = { mean: 100 * il.mean, standardError: 100 * il.standardError }
  return [
    check('inRangeProbability', timeInRange, analysis.timeInRange),
    check('terminalInRangeProbability', terminalInRange, analysis.terminalInRangeProbability),
    check('stayInRangeProbability', stayInRange, analysis.stayInRangeProbability),
    check('expectedIlPct', ilPct, analysis.ilPct),
  ]
}

export type SimulationCheck = {
  readonly quantity: string
  readonly simulated: number
  readonly standardError: number
  readonly analytic: number
  /** How many of its standard errors the simulation lies off. */
  readonly standardErrorsOff: number
}

function check(quantity: string, { mean, standardError }: Estimate, analytic: number): SimulationCheck {
  const off = Math.abs(mean - analytic) / Math.max(standardError, rounding)
  return { quantity, simulated: mean, standardError, analytic, standardErrorsOff: off }
}

/** Differences this small are none: both sides are sums of doubles. */
const rounding = 1e-8
