import {
  feeErrorPct,
  type Interval,
  invertTicks,
  netAprError,
  type RangeAnalysis,
  type RangeDoubts,
} from '@svc/lp-math'
import type { Ahead, RangeChoice } from '../analysis/range/pick-range.ts'
import type { RangeChoiceAnswer, RangeIntervals } from '../analysis/range/range-answer.ts'
import { endsOf } from './results.ts'
import { boundsNamed, figure, percents } from '../analysis/figures.ts'

/**
 * How `optimize_lp_range` tells of a choice of range: what it goes by, what is chosen with its projections, the ranges beside it, the
 * chosen one at other volatilities, and what must be said of all of it.
 */
export function formatChoice({ optimal, candidates }: RangeChoice, about: AboutChoice): RangeChoiceAnswer & Noted {
  const { source, sigma, lookbackDays } = about.volatility
  const ticks = about.isInverted ? invertTicks(optimal) : optimal
  return {
    currentPrice: figure(about.price),
    volatility: {
      source,
      annualized: figure(sigma),
      standardError: figure(about.sigmaError),
      ...boundsNamed('annualized', about.volatility.ahead),
      lookback: `${figure(lookbackDays)}d`,
    },
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
      ...errorsOf(one, about),
      ...intervalsOf(one),
    })),
    sensitivity: [atSigma(optimal.sensitivity.calmer), atSigma(optimal.sensitivity.wilder)],
    notes: notesOf({ optimal, candidates }, about),
  }
}

type Noted = { readonly notes: readonly string[] }

export type AboutChoice = CostOfChoice &
  RangeDoubts & {
    /** Of one opening. */
    readonly horizonDays: number
    /** Whether the prices are of the other order of tokens than the pool's. */
    readonly isInverted: boolean
    /** Of token0 in token1, in the caller's order. */
    readonly price: number
    readonly volatility: {
      readonly source: 'historical' | 'implied'
      /** Annual, as a fraction. */
      readonly sigma: number
      readonly lookbackDays: number
      /** What the closes of the horizon are to show. */
      readonly ahead?: Interval
    }
  }

/** Share of the time in range that a tolerance of risk asks for. */
export const riskTargets = { conservative: 0.95, moderate: 0.8, aggressive: 0.6 } as const

function projectionsOf(optimal: RangeAnalysis & Ahead, about: AboutChoice) {
  const inUsd = (days: number, apr: number) => figure((about.amountUsd * apr * days) / 36_500)
  const in30dUsd = (apr: number) => inUsd(30, apr)
  const inHorizonUsd = (apr: number) => inUsd(about.horizonDays, apr)
  const uncertainty = feeErrorPct(optimal, about.pace)
  return {
    ...yieldsOf(optimal),
    feeIncome30dUsd: in30dUsd(optimal.feeApr),
    ilCost30dUsd: in30dUsd(optimal.lvrApr),
    netPnl30dUsd: in30dUsd(optimal.netApr),
    horizonDays: about.horizonDays,
    feeIncomeUsd: inHorizonUsd(optimal.feeApr),
    ilCostUsd: inHorizonUsd(optimal.lvrApr),
    netPnlUsd: inHorizonUsd(optimal.netApr),
    netPnlUsdError: inHorizonUsd(netAprError(optimal, about)),
    netPnlUsdLow95: optimal.ahead === undefined ? null : inHorizonUsd(optimal.ahead.netApr.low95),
    netPnlUsdHigh95: optimal.ahead === undefined ? null : inHorizonUsd(optimal.ahead.netApr.high95),
    ...errorsOf(optimal, about),
    ...intervalsOf(optimal),
    terminalInRangeProbability: figure(optimal.terminalInRangeProbability),
    stayInRangeProbability: figure(optimal.stayInRangeProbability),
    arbitrageLossApr: figure(optimal.arbitrageLossApr),
    undilutedFeeApr: figure(optimal.undilutedFeeApr),
    // Fees whose error nobody knows may be all wrong.
    feeUncertaintyPct: figure(uncertainty ?? 100),
    gasApr: figure(optimal.gasApr),
    gasCostUsd: about.gasCostUsd === null ? null : figure(about.gasCostUsd),
  }
}

function boundsOf({ bounds: { lower, upper } }: RangeAnalysis) {
  return endsOf({ priceLower: figure(lower), priceUpper: figure(upper) })
}

function yieldsOf(range: Pick<RangeAnalysis, 'feeApr' | 'ilPct' | 'netApr' | 'timeInRange' | 'lvrApr'>) {
  return {
    expectedFeeApr: figure(range.feeApr),
    expectedIlPct: figure(range.ilPct),
    expectedNetApr: figure(range.netApr),
    inRangeProbability: figure(range.timeInRange),
    lvrApr: figure(range.lvrApr),
  }
}

/** One standard error each: of the net yield by fees and volatility, of the others by the volatility alone. */
function errorsOf(range: RangeAnalysis, doubts: RangeDoubts) {
  const { calmer, wilder } = range.sensitivity
  const share = wilder.sigma === calmer.sigma ? 0 : doubts.sigmaError / (wilder.sigma - calmer.sigma)
  return {
    expectedNetAprError: figure(netAprError(range, doubts)),
    inRangeProbabilityError: figure(Math.abs(share * (wilder.timeInRange - calmer.timeInRange))),
    expectedIlPctError: figure(Math.abs(share * (wilder.ilPct - calmer.ilPct))),
  }
}

function intervalsOf({ ahead }: Ahead): RangeIntervals {
  return { ...boundsNamed('expectedFeeApr', ahead?.feeApr), ...boundsNamed('expectedNetApr', ahead?.netApr) }
}

function atSigma(range: RangeAnalysis['sensitivity']['calmer']) {
  return { annualized: figure(range.sigma), ...yieldsOf(range) }
}

function riskOf({ timeInRange }: RangeAnalysis): string {
  const outside = 1 - timeInRange
  return outside > 0.3 ? 'HIGH' : outside > 0.1 ? 'MODERATE' : outside > 0.001 ? 'LOW' : 'NONE'
}

function notesOf(choice: RangeChoice, about: AboutChoice): readonly string[] {
  const { optimal } = choice
  const { pace, volatility } = about
  return [
    ...lossNotes(choice, about),
    ...choiceNotes(choice, about),
    ...horizonNotes(about),
    ...(volatility.source === 'implied' ? [impliedNote] : []),
    ...(pace.perDay > 0 ? [] : ['The pool earned no fees in this time.']),
    ...(optimal.undilutedFeeApr > 2 * optimal.feeApr
      ? ['The amount is large for this pool: its own liquidity takes more than half of the fee APR away.']
      : []),
  ]
}

/** First of all that is said: that the chosen range loses, where that is more than its own error. */
function lossNotes({ optimal, candidates }: RangeChoice, about: AboutChoice): readonly string[] {
  const error = netAprError(optimal, about)
  if (!(optimal.netApr + error < 0)) return []
  const lossUsd = (-about.amountUsd * optimal.netApr * about.horizonDays) / 36_500
  const best = candidates.find(({ label }) => label === 'best held')
  const beside =
    best === undefined || !isAhead(best, optimal)
      ? ''
      : ` "best held", ${spellBounds(best)}, comes to ${yieldOf(best)}.`
  return [
    `The chosen range is expected to lose, and by more than its error: ${percents(optimal.netApr, 2, 'yield')} +/- ${percents(error, 2, 'yield')} % net a year, ${figure(Number(lossUsd.toPrecision(3)))} USD in ${figure(about.horizonDays)} days.${beside}`,
  ]
}

/** Thirty days of a shorter horizon are several openings. */
function horizonNotes({ horizonDays, gasCostUsd }: AboutChoice): readonly string[] {
  if (horizonDays === 30) return []
  const openings = figure(Number((30 / horizonDays).toPrecision(3)))
  const gas = gasCostUsd === null ? '' : `, so that netPnl30dUsd counts the gas of ${openings}`
  return [
    `Members of 30d are the yields of a position of ${figure(horizonDays)} days, opened anew, as dollars of 30 days: ${openings} openings${gas}. feeIncomeUsd, ilCostUsd and netPnlUsd are of one, over horizonDays.`,
  ]
}

const impliedNote =
  'Implied volatility is the one at which the past fees of the pool just pay for LVR: a net yield from it tells little. Ask with historical as well.'

/**
 * What must be said of a choice of range: that it leans, that every range loses, that another is expected to earn more, or that gas eats
 * much of the amount or of what the fees bring.
 */
export function choiceNotes(choice: RangeChoice, cost: CostOfChoice): readonly string[] {
  return [...leanNotes(choice), ...yieldNotes(choice), ...gasNotes(choice, cost)]
}

export type CostOfChoice = {
  readonly amountUsd: number
  /** To open and to close; null where it does not count. */
  readonly gasCostUsd: number | null
}

function leanNotes({ optimal, leansFrom: even }: RangeChoice): readonly string[] {
  if (even === undefined) return []
  const side = optimal.bounds.upper * optimal.bounds.lower > even.bounds.upper * even.bounds.lower ? 'above' : 'below'
  return [
    `The chosen range reaches farther ${side} the price than to the other side: ${yieldOf(optimal)}, against ${yieldOf(even)} of the even range, ${spellBounds(even)}.`,
  ]
}

function yieldNotes({ optimal, candidates }: RangeChoice): readonly string[] {
  const [best] = candidates.toSorted((a, b) => b.netApr - a.netApr)
  if (best === undefined || Math.max(best.netApr, optimal.netApr) < 0) {
    const least = best !== undefined && isAhead(best, optimal) ? ` "${best.label}" loses least, ${yieldOf(best)}.` : ''
    return [`Fees are not expected to pay for LVR and gas in any range: the chosen one loses.${least}`]
  }
  if (!isAhead(best, optimal)) return []
  return [
    `"${best.label}" is expected to earn more than the chosen range, ${yieldOf(best)} against ${yieldOf(optimal)}: the chosen one holds the price for the share of time that was asked for.`,
  ]
}

function gasNotes({ optimal }: RangeChoice, { amountUsd, gasCostUsd }: CostOfChoice): readonly string[] {
  if (gasCostUsd === null) return []
  const yearlyFeesUsd = (amountUsd * optimal.feeApr) / 100
  const shares = [
    { of: 'the amount', pct: (100 * gasCostUsd) / amountUsd },
    { of: 'the fees that the chosen range is expected to earn in a year', pct: (100 * gasCostUsd) / yearlyFeesUsd },
  ]
  const large = shares
    .filter(({ pct }) => pct > 10 && pct < Infinity)
    .map(({ of, pct }) => `${percents(pct, 1, 'lead')} % of ${of}`)
  if (large.length === 0) return []
  return [
    `Gas to open and close, ${figure(gasCostUsd)} USD, is ${large.join(' and ')}: it costs the same whatever the amount, so that a larger one bears it better.`,
  ]
}

/** As far as the figures that are shown tell. */
function isAhead(one: RangeAnalysis, other: RangeAnalysis): boolean {
  return one.netApr > other.netApr && yieldOf(one) !== yieldOf(other)
}

function spellBounds({ bounds: { lower, upper } }: RangeAnalysis): string {
  const { priceLower, priceUpper } = endsOf({ priceLower: figure(lower), priceUpper: figure(upper) })
  if (priceLower === null && priceUpper === null) return 'the full range'
  return `${priceLower ?? 'no end'} to ${priceUpper ?? 'no end'}`
}

function yieldOf({ netApr }: RangeAnalysis): string {
  return `${percents(netApr, 2, 'yield')} % net a year`
}
