import type { PriceBounds } from '../closed-form/price-model.ts'
import type { TickRange } from '../ticks/ticks.ts'

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
