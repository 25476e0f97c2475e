import type { PriceBounds } from '../closed-form/price-model.ts'
import type { TickRange } from '../ticks/ticks.ts'
import type { Bars } from '../bars/bars.ts'
import { LpMathError } from '../lp-math-error.ts'

/**
 * What a strategy came to. Gains and costs sum to the whole: endValueUsd - startValueUsd = feesEarnedUsd + hodlMoveUsd - ilCostUsd -
 * swapCostUsd - gasUsd. LVR is another view of the loss against the market and no part of the sum. Costs are positive; `Pct` is in
 * percent.
 */
export type StrategyResult = {
  readonly name: string
  /** Opened at the begin; the others are those of the rebalances. */
  readonly firstRange: StrategyRange
  /** Own share of the liquidity at the price, 0 to 1: of the first position beside what the pool usually had, the median of the bars. */
  readonly firstLiquidityShare: number
  /** Fees of both tokens at the prices of the end: they are held, not put into the position again. */
  readonly feesEarnedUsd: number
  /** In smallest units. */
  readonly feesEarned0: number
  readonly feesEarned1: number
  /** How far the fees may lie off, in percent of them; see `feeUncertaintyPct`. */
  readonly feeUncertaintyPct: number
  /** What each position was worth less at its end than the tokens put into it, summed over the positions. */
  readonly ilCostUsd: number
  /** What those tokens gained by themselves, position by position. */
  readonly hodlMoveUsd: number
  /** Loss versus rebalancing at the bars' own pace: what each bar cost against holding what the position held at its begin. */
  readonly lvrUsd: number
  /** All gas: open, close and rebalances; and the rebalances' alone. */
  readonly gasUsd: number
  readonly rebalanceGasUsd: number
  /** Swap fee and price impact at rebalances. */
  readonly swapCostUsd: number
  readonly rebalances: readonly Rebalance[]
  /** For how long a rebalance was due and was put off, because its swap would have cost too much. */
  readonly putOffSeconds: number
  readonly endValueUsd: number
  readonly netReturnPct: number
  /** What the tokens of the first position are worth at the end, and the strategy against that. */
  readonly hodlEndValueUsd: number
  readonly vsHodlPct: number
  /** Against half of the start value in each token. */
  readonly versus5050Pct: number
  /** Share of the time that the price was in the range of the position then open. */
  readonly inRangePct: number
  /** `null` below 14 daily returns. */
  readonly sharpeRatio: number | null
  /** Deepest fall from the highest value before it, at the close of bars. */
  readonly maxDrawdownPct: number
  /** Every 24 hours from the begin, and at the end. */
  readonly equity: readonly EquityPoint[]
  /** At the close of each bar, where asked for. */
  readonly barEquityUsd: Float64Array | null
  /** Fees earned until the close of each bar, at its prices, and what was lost until then against the tokens put in; where asked for. */
  readonly barFeesUsd: Float64Array | null
  readonly barIlUsd: Float64Array | null
  /** With `resolution: 'swap'`, else `null`. */
  readonly bySwap: FeesBySwap | null
}

/** Fees counted swap by swap, and how far bars lie off for the same positions: `feesDifference...` is what bars say less what swaps say. */
export type FeesBySwap = {
  /** In smallest units, each position collected once, at its end. */
  readonly fees0: bigint
  readonly fees1: bigint
  /** At the prices of the end. */
  readonly feesByBarsUsd: number
  readonly feesDifferenceUsd: number
  /** In percent of the fees by swaps; `null` where there are none. */
  readonly feesDifferencePct: number | null
}

/** The value of a position at a time (unix seconds). */
export type EquityPoint = { readonly at: number; readonly valueUsd: number }

/** `at` in seconds since 1970, the close of the bar whose price the new range is laid around. */
export type Rebalance = {
  readonly at: number
  readonly before: StrategyRange
  readonly after: StrategyRange
  readonly gasUsd: number
  readonly swapCostUsd: number
}

/** Prices of the base token in whole tokens, 0 and Infinity for the full range; ticks of the pool. */
export type StrategyRange = PriceBounds & TickRange

/** The equity column seen every 24 hours and at its end, its Sharpe ratio and its deepest fall below `startValueUsd` or a later high. */
export function equityMetrics(bars: Bars, equity: Float64Array, startValueUsd: number): EquityMetrics {
  const last = equity.length - 1
  const barsPerDay = Math.max(1, Math.round(86_400 / bars.barSeconds))
  const isDaily = Math.abs(barsPerDay * bars.barSeconds - 86_400) < 1e-6
  const point = (bar: number) => ({ at: (bars.startsAt[bar] ?? 0) + bars.barSeconds, valueUsd: equity[bar] ?? 0 })
  const days = Array.from({ length: Math.floor(last / barsPerDay) + 1 }, (_, day) => point(day * barsPerDay))
  return {
    equity: last % barsPerDay === 0 ? days : [...days, point(last)],
    sharpeRatio: isDaily ? sharpeRatio(days.map(({ valueUsd }) => valueUsd)) : null,
    maxDrawdownPct: maxDrawdown(equity, startValueUsd) * 100,
  }
}

type EquityMetrics = {
  readonly equity: readonly EquityPoint[]
  readonly sharpeRatio: number | null
  readonly maxDrawdownPct: number
}

/**
 * The deepest fall of values below the highest before them, as a fraction of that: 0.2 is a loss of a fifth. `startValue` is a high
 * before the first of them; the first itself by default.
 * @throws LpMathError `VALUE_OUT_OF_RANGE` unless all of them are finite and `startValue` is above 0.
 */
export function maxDrawdown(values: ArrayLike<number>, startValue = values[0] ?? 1): number {
  if (!(startValue > 0)) throw new LpMathError('VALUE_OUT_OF_RANGE', 'startValue is above 0.')
  let highest = startValue
  let deepest = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (!Number.isFinite(value)) throw new LpMathError('VALUE_OUT_OF_RANGE', `values[${index}] is finite.`)
    if (value > highest) highest = value
    const fall = (highest - value) / highest
    if (fall > deepest) deepest = fall
  }
  return deepest
}

/**
 * Sharpe ratio of a year from values a day apart: mean over standard deviation (n - 1) of the daily returns, times sqrt 365, with a
 * risk-free rate of 0. `null` below 14 returns, where a value is not above 0, and where returns vary by less than a hundredth of their mean, a
 * ratio above 1,911: of a price that stands still nothing is risked, and the ratio says nothing.
 */
export function sharpeRatio(dailyValues: readonly number[]): number | null {
  const returns = dailyValues.slice(1).map((value, day) => value / (dailyValues[day] ?? Number.NaN) - 1)
  if (returns.length < FEWEST_RETURNS || dailyValues.some((value) => !(value > 0))) return null
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1)
  const deviation = Math.sqrt(variance)
  // Below the rounding of the values themselves nothing varies.
  return deviation > 1e-14 && deviation > Math.abs(mean) / 100 ? (mean / deviation) * Math.sqrt(365) : null
}

const FEWEST_RETURNS = 14
