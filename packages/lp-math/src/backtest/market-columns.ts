import type { Bars } from '../bars/bars.ts'
import type { BacktestOptions } from './backtest-options.ts'

/** Prices at the close of each bar: the sqrt price in smallest units, and US dollars for one smallest unit of each token; and the usual liquidity. */
export function marketColumns(bars: Bars, options: BacktestOptions): MarketColumns {
  const { baseToken, decimals0, decimals1, quoteUsd } = options
  const sqrtPrice = bars.closeTick.map((tick) => Math.exp((tick * LN_TICK) / 2))
  const unit = 10 ** -(baseToken === 0 ? decimals1 : decimals0)
  const quote = new Float64Array(sqrtPrice.length)
  const base = new Float64Array(sqrtPrice.length)
  for (let bar = 0; bar < sqrtPrice.length; bar++) {
    const root = sqrtPrice[bar] ?? 0
    const usd = columnAt(quoteUsd, bar) * unit
    quote[bar] = usd
    base[bar] = baseToken === 0 ? usd * root * root : usd / (root * root)
  }
  const usualLiquidity = bars.liquidity.toSorted()[Math.floor(bars.liquidity.length / 2)] ?? 0
  const [usd0, usd1] = baseToken === 0 ? [base, quote] : [quote, base]
  return { sqrtPrice, usd0, usd1, usualLiquidity }
}

export type MarketColumns = {
  readonly sqrtPrice: Float64Array
  readonly usd0: Float64Array
  readonly usd1: Float64Array
  /** Of the bar in the middle: a pool's first hours hold hardly any. */
  readonly usualLiquidity: number
}

export const LN_TICK = Math.log(1.0001)

/** The entry of a column that may be one number for all bars. */
export function columnAt(column: number | Float64Array, bar: number): number {
  return typeof column === 'number' ? column : (column[bar] ?? 0)
}
