import { feeErrorPct, invertTicks, netAprError, type RangeAnalysis, type RangeDoubts } from '@svc/lp-math'
import type { RangeChoice } from '../adapters/analytics/pick-range.ts'
import { figure } from './figure.ts'

/**
 * How `optimize_lp_range` tells of a choice of range: what is chosen with its projections, the ranges beside it, and the chosen one at
 * other volatilities.
 */
export function toldChoice({ optimal, candidates }: RangeChoice, about: AboutChoice) {
  const ticks = about.isInverted ? invertTicks(optimal) : optimal
  return {
    optimalRange: {
      ...boundsOf(optimal),
      tickLower: ticks.tickLower,
      tickUpper: ticks.tickUpper,
      rangeWidthPct: optimal.widthPct === Number.POSITIVE_INFINITY ? null : figure(optimal.widthPct),
    },
    projections: projectionsOf(optimal, about),
    candidateRanges: candidates.map((one) => ({
      label: one.label.replace('±', '+/-'),
      ...boundsOf(one),
      ...yieldsOf(one),
      outOfRangeRisk: riskOf(one),
      expectedNetAprError: figure(netAprError(one, about)),
    })),
    sensitivity: [atSigma(optimal.sensitivity.calmer), atSigma(optimal.sensitivity.wilder)],
  }
}

export type AboutChoice = RangeDoubts & {
  readonly amountUsd: number
  /** Whether the prices are of the other order of tokens than the pool's. */
  readonly isInverted: boolean
}

/** Share of the time in range that a tolerance of risk asks for. */
export const riskTargets = { conservative: 0.95, moderate: 0.8, aggressive: 0.6 } as const

function projectionsOf(optimal: RangeAnalysis, about: AboutChoice) {
  const in30dUsd = (apr: number) => figure((about.amountUsd * apr * 30) / 36_500)
  const uncertainty = feeErrorPct(optimal, about.pace)
  return {
    ...yieldsOf(optimal),
    feeIncome30dUsd: in30dUsd(optimal.feeApr),
    ilCost30dUsd: in30dUsd(optimal.lvrApr),
    netPnl30dUsd: in30dUsd(optimal.netApr),
    expectedNetAprError: figure(netAprError(optimal, about)),
    terminalInRangeProbability: figure(optimal.terminalInRangeProbability),
    stayInRangeProbability: figure(optimal.stayInRangeProbability),
    lvrApr: figure(optimal.lvrApr),
    arbitrageLossApr: figure(optimal.arbitrageLossApr),
    undilutedFeeApr: figure(optimal.undilutedFeeApr),
    feeUncertaintyPct: uncertainty === null ? null : figure(uncertainty),
    gasApr: figure(optimal.gasApr),
  }
}

function boundsOf({ bounds: { lower, upper } }: RangeAnalysis) {
  return { priceLower: figure(lower), priceUpper: upper === Number.POSITIVE_INFINITY ? infinite : figure(upper) }
}

const infinite = 'Infinity' as const

function yieldsOf(range: Pick<RangeAnalysis, 'feeApr' | 'ilPct' | 'netApr' | 'timeInRange'>) {
  return {
    expectedFeeApr: figure(range.feeApr),
    expectedIlPct: figure(range.ilPct),
    expectedNetApr: figure(range.netApr),
    inRangeProbability: figure(range.timeInRange),
  }
}

function atSigma(range: RangeAnalysis['sensitivity']['calmer']) {
  return { annualized: figure(range.sigma), ...yieldsOf(range) }
}

function riskOf({ timeInRange }: RangeAnalysis): string {
  const outside = 1 - timeInRange
  return outside > 0.3 ? 'HIGH' : outside > 0.1 ? 'MODERATE' : outside > 0.001 ? 'LOW' : 'NONE'
}
