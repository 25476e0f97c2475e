import { type Estimate, type RangeAnalysis, type RangeEstimates, standardErrorsOff } from '@svc/lp-math'

/** A simulated range beside its closed forms; percents and probabilities as results tell them. */
export function compareSimulation(estimates: RangeEstimates, analysis: RangeAnalysis): readonly SimulationCheck[] {
  const { timeInRange, terminalInRange, stayInRange, il, replicates } = estimates
  const check = (quantity: string, estimate: Estimate, analytic: number): SimulationCheck => {
    const { mean: simulated, standardError } = estimate
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

export type SimulationCheck = {
  readonly quantity: string
  readonly simulated: number
  readonly standardError: number
  readonly analytic: number
  /** How many of its standard errors the simulation lies off, as a normal deviate. */
  readonly standardErrorsOff: number
}
