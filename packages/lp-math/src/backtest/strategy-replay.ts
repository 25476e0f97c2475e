import type { Bars } from '../bars/bars.ts'
import type { FeeColumns } from './accrue-fees.ts'
import type { BacktestOptions } from './backtest-options.ts'
import type { BacktestStrategy } from './backtest-strategy.ts'
import type { MarketColumns } from './market-columns.ts'

/** One strategy on its way through the bars: what it reads, and the columns that it writes. */
export type StrategyReplay = {
  readonly bars: Bars
  readonly strategy: BacktestStrategy
  readonly options: BacktestOptions
  readonly market: MarketColumns
  readonly fees: FeeColumns
  /** At the close of each bar, in US dollars. */
  readonly equity: Float64Array
  /** Fees until then, and impermanent loss until then over all positions; `null` unless asked for. */
  readonly course: { readonly feesUsd: Float64Array; readonly ilUsd: Float64Array } | null
}
