import { createRangeAnalyser, type LiquidityProfile } from '@svc/lp-math'
import type { DailyTrade } from './daily-trade.ts'
import { quietShare } from './quiet-share.ts'

/**
 * What an amount would bring in a fee tier: a position 30 days and two deviations of the price wide to each side, no narrower than the
 * tier's tick spacing, earns its part of fees like those of the past days by the liquidity in its way; days beyond the 5th and the 95th
 * percentile count as those. `netApr` is fees less LVR, and less the part of the fees that a thin pool is in doubt of: the share of days
 * with less than a tenth of the median volume. The whole of LVR is taken off, since fees that were seen hold what arbitrageurs pay;
 * the part that they keep stands beside it. All yields are percents a year.
 * @throws LpMathError
 */
export function scoreFeeTier(tier: FeeTier, market: TierMarket): TierScore {
  const { price, sigma, blockSeconds, value } = market
  const { trade, profile, fee, tickSpacing, decimals0, decimals1 } = tier
  const fees = winsorised(trade.fees)
  const [month, week] = [mean(fees), mean(fees.slice(-7))]
  const deviation = Math.max(2 * sigma * Math.sqrt(years), 1e-6)
  const analyser = createRangeAnalyser({
    model: {
      price,
      sigma,
      drift: 0,
      years,
    },
    profile,
    feesPerDay: 1,
    fee,
    blockSeconds,
    value,
    gasCost: 0,
    tickSpacing,
    decimals0,
    decimals1,
  })
  const range = analyser.analyse({ lower: price * Math.exp(-deviation), upper: price * Math.exp(deviation) })
  const quiet = quietShare(trade.volumes)
  const netAt = (feesPerDay: number) => range.feeApr * feesPerDay * (1 - quiet) - range.lvrApr
  return {
    feeApr: range.feeApr * month,
    feeAprStandardError: trade.daysKnown < 2 ? null : range.feeApr * standardError(fees),
    steadyFeeApr: range.steadyFeeApr * month,
    lvrApr: range.lvrApr,
    arbitrageLossApr: range.arbitrageLossApr,
    netApr: netAt(month),
    netAprOfWeek: netAt(week),
    feeAprOfWeek: range.feeApr * week,
    quietDaysPct: quiet * 100,
  }
}

/** Price, value and fees count in the quote token, whole tokens; `profile` and decimals in the order base, quote. */
export type FeeTier = {
  readonly trade: DailyTrade
  readonly profile: LiquidityProfile
  /** Of a swap, as a fraction. */
  readonly fee: number
  readonly tickSpacing: number
  readonly decimals0: number
  readonly decimals1: number
}

export type TierMarket = {
  readonly price: number
  readonly sigma: number
  readonly blockSeconds: number
  readonly value: number
}

export type TierScore = {
  readonly feeApr: number
  /** Of the mean of the days, by chance alone; `null` where fewer than two are known. */
  readonly feeAprStandardError: number | null
  /** Where trade follows the clock and not the depth. */
  readonly steadyFeeApr: number
  readonly lvrApr: number
  readonly arbitrageLossApr: number
  readonly netApr: number
  readonly netAprOfWeek: number
  readonly feeAprOfWeek: number
  readonly quietDaysPct: number
}

const years = 30 / 365

function winsorised(days: readonly number[]): readonly number[] {
  if (days.length < 10) return days
  const sorted = days.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  return days.map((day) => Math.min(Math.max(day, at(0.05)), at(0.95)))
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function standardError(values: readonly number[]): number {
  if (values.length < 2) return 0
  const center = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length)
}
