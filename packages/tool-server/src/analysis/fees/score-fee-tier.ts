import {
  createRangeAnalyser,
  feePace,
  type FeePace,
  feesAhead,
  feeErrorPct,
  type Interval,
  intervalOfDraws,
  type LiquidityProfile,
  type LogForecast,
  netAprError,
  netAprErrors,
  type NetAprErrors,
  type PriceBounds,
  type RangeAnalysis,
  type RangeYields,
  yieldsAhead,
} from '@svc/lp-math'
import type { DailyTrade } from './pool-trade.ts'

/**
 * What an amount would bring in a fee tier: a position 30 days and two deviations of the price wide to each side, no narrower than the
 * tier's tick spacing, earns its part of fees like those of the past days by the liquidity in its way; days beyond the 5th and the 95th
 * percentile count as those. `netApr` is fees less LVR, and less the part of the fees that a thin pool is in doubt of: the share of days
 * with less than a tenth of the median volume. The whole of LVR is taken off, since fees that were seen hold what arbitrageurs pay;
 * the part that they keep stands beside it. All yields are percents a year.
 * @throws LpMathError
 */
export function scoreFeeTier(tier: FeeTier, market: TierMarket, between?: () => void): TierScore {
  const { price, sigma, sigmaError, blockSeconds, value } = market
  const { trade, profile, feePips, tickSpacing, decimals0, decimals1 } = tier
  const model = { price, sigma, drift: 0, years }
  const pool = { profile, feesPerDay: 1, feePips, blockSeconds, tickSpacing, decimals0, decimals1 }
  const deviation = Math.max(2 * sigma * Math.sqrt(years), 1e-6)
  const bounds = { lower: price * Math.exp(-deviation), upper: price * Math.exp(deviation) }
  const range = createRangeAnalyser({ ...pool, model, value, gasCost: 0 }).analyse(bounds)
  const pace = paceOf(trade)
  const doubts = { pace, sigmaError }
  const quiet = quietShare(trade.volumes)
  const held = paid(range, pace.perDay * (1 - quiet))
  const ahead = aheadOf(tier, market, { bounds: range.bounds, held: 1 - quiet, between })
  return {
    ahead,
    feeApr: range.feeApr * pace.perDay,
    feeUncertaintyPct: feeErrorPct(held, pace),
    lvrApr: range.lvrApr,
    arbitrageLossApr: range.arbitrageLossApr,
    netApr: held.netApr,
    netAprError: netAprError(held, doubts),
    netAprErrors: netAprErrors(held, doubts),
    netAprOfWeek: paid(range, pace.ofLast7Days * (1 - quiet)).netApr,
    feeAprOfWeek: range.feeApr * pace.ofLast7Days,
    quietDaysPct: quiet * 100,
    daysCounted: pace.daysCounted,
  }
}

/** Price, value and fees count in the quote token, whole tokens; `profile` and decimals in the order base, quote. */
export type FeeTier = {
  readonly trade: DailyTrade
  readonly profile: LiquidityProfile
  /** Of a swap, in millionths of the input. */
  readonly feePips: number
  readonly tickSpacing: number
  readonly decimals0: number
  readonly decimals1: number
}

export type TierMarket = {
  readonly price: number
  /** Annual, a fraction. */
  readonly sigma: number
  /** One standard error of it. */
  readonly sigmaError: number
  /** What the closes of 30 days are to show; `null` where the price did not move. */
  readonly sigmaAhead?: LogForecast | null
  readonly blockSeconds: number
  readonly value: number
}

export type TierScore = {
  /** What lies ahead of it in 30 days; `null` where it earned nothing. */
  readonly ahead: TierAhead | null
  readonly feeApr: number
  /** One standard error of the fees ahead, in percent of them; `null` where too few days are known, or none earned any. */
  readonly feeUncertaintyPct: number | null
  readonly lvrApr: number
  readonly arbitrageLossApr: number
  readonly netApr: number
  /** One standard error of it, of fees and volatility; and the parts of that. */
  readonly netAprError: number
  readonly netAprErrors: NetAprErrors
  readonly netAprOfWeek: number
  readonly feeAprOfWeek: number
  readonly quietDaysPct: number
  /** What the error of its fees rests on: days that are known, less those that were brought in to the others. */
  readonly daysCounted: number
}

/** `net` is the net yield in each of the futures, the same for all tiers of a pair. */
export type TierAhead = { readonly feeApr: Interval; readonly netApr: Interval; readonly net: Float64Array }

const horizonDays = 30
const years = horizonDays / 365

/** In its intervals days of much trade count as they are, as they will come again. */
function aheadOf(
  { trade, profile, feePips }: FeeTier,
  { price, sigma, sigmaAhead = null, value }: TierMarket,
  {
    bounds,
    held,
    between,
  }: { readonly bounds: PriceBounds; readonly held: number; readonly between: (() => void) | undefined },
): TierAhead | null {
  const fees = feesAhead(Float64Array.from(trade.fees), { barSeconds: 86_400, horizonDays })
  if (fees === null) return null
  const model = { price, sigma, drift: 0, years }
  const outlook = { model, profile, value, gasApr: 0, volatility: sigmaAhead, seed: 1, tier: Math.round(feePips) }
  const [draws] = yieldsAhead([bounds], { ...outlook, fees }, between)
  if (draws === undefined) return null
  const { feeApr, netApr } = draws
  const net = netApr.map((one, future) => one - (1 - held) * (feeApr[future] ?? 0))
  return { feeApr: intervalOfDraws(feeApr), netApr: intervalOfDraws(net), net }
}

/**
 * Of days of which fewer than two are known nothing tells the error. Days brought in to the others' hide a part of their scatter: the
 * error of such a mean is (n - 1)/(h - 1) of what they show, h being the days that stayed (Dixon and Tukey 1968).
 */
function paceOf({ fees, daysKnown }: DailyTrade): FeePace & { readonly daysCounted: number } {
  const capped = fees.length < 10 ? 0 : Math.round(0.05 * (fees.length - 1))
  const pace = feePace(Float64Array.from(winsorised(fees, capped)), { barSeconds: 86_400 })
  const daysCounted = Math.max(0, Math.min(fees.length, daysKnown) - 2 * capped)
  if (pace === null) return { perDay: 0, ofLast7Days: 0, standardError: null, daysCounted }
  if (daysKnown < 2 || pace.standardError === null) return { ...pace, standardError: null, daysCounted }
  const hidden = (fees.length - 1) / (fees.length - 2 * capped - 1)
  return { ...pace, standardError: pace.standardError * hidden, daysCounted }
}

function winsorised(days: readonly number[], capped: number): readonly number[] {
  const sorted = days.toSorted((a, b) => a - b)
  const [least = 0, most = 0] = [sorted[capped], sorted[days.length - 1 - capped]]
  return days.map((day) => Math.min(Math.max(day, least), most))
}

/** The yields of a range in a pool that pays so much a day, from those in one that pays 1. */
function paid({ feeApr, steadyFeeApr, lvrApr, sensitivity }: RangeAnalysis, feesPerDay: number) {
  const net = (yields: Pick<RangeYields, 'feeApr' | 'lvrApr'>) => yields.feeApr * feesPerDay - yields.lvrApr
  const { calmer, wilder } = sensitivity
  return {
    feeApr: feeApr * feesPerDay,
    steadyFeeApr: steadyFeeApr * feesPerDay,
    netApr: net({ feeApr, lvrApr }),
    sensitivity: {
      calmer: { sigma: calmer.sigma, netApr: net(calmer) },
      wilder: { sigma: wilder.sigma, netApr: net(wilder) },
    },
  }
}

/** The part of the days with less than a tenth of the median volume, or without any; of no days, all. */
function quietShare(volumes: readonly number[]): number {
  if (volumes.length === 0) return 1
  const median = volumes.toSorted((a, b) => a - b)[Math.floor(volumes.length / 2)] ?? 0
  return volumes.filter((volume) => volume < median / 10 || volume === 0).length / volumes.length
}
