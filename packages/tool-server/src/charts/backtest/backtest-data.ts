/** What the picture of a backtest is drawn from. */
export type BacktestCurves = {
  readonly pair: string
  readonly chain: string
  readonly fee: number
  /** What the replay rests on, a line each: bars, gas, what is estimated. */
  readonly caption: readonly string[]
  readonly prices: readonly { readonly at: number; readonly price: number }[]
  readonly hodl: readonly TimedValue[]
  readonly strategies: readonly StrategyCurve[]
}

export type TimedValue = { readonly at: number; readonly valueUsd: number }

export type StrategyCurve = {
  readonly name: string
  readonly netReturnPct: number
  readonly feesEarnedUsd: number
  /** How far the fees may lie off, in percent of them. */
  readonly feeUncertaintyPct: number
  readonly equity: readonly TimedValue[]
  /** Earned in fees until then, and lost until then against the tokens put in; absent where the replay kept neither. */
  readonly fees?: readonly TimedValue[]
  readonly il?: readonly TimedValue[]
  /** Each range from when it was opened; from 0 and without an upper price for the full one. The first opens the strategy, the others are rebalances, of those close together the last. */
  readonly ranges: readonly TimedRange[]
}

export type TimedRange = { readonly at: number; readonly lower: number; readonly upper: number | 'Infinity' }
