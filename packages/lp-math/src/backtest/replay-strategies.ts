import type { Bars } from '../bars/bars.ts'
import { checkBars } from '../bars/check-bars.ts'
import { LpMathError } from '../lp-math-error.ts'
import { type BacktestOptions, checkBacktestOptions } from './backtest-options.ts'
import { type BacktestStrategy, checkStrategies } from './backtest-strategy.ts'
import { marketColumns } from './market-columns.ts'
import { replayStrategy } from './replay-strategy.ts'
import type { StrategyResult } from './strategy-result.ts'

/**
 * Replays strategies over bars of a pool, each with the same start value, as if each traded alone.
 *
 * A position is minted at the close of a bar and earns from the next on; the first one at the close of the first bar. After each bar
 * the share of the trailing 24 hours that the price spent out of the range since the mint is compared with the threshold; where it is
 * reached, the position is closed, swapped into the ratio of a range around the price and opened there: not in the bar after a mint, not
 * in the last bar, and not while the pool is so thin that the swap would take more than a tenth of the position. Gas is paid beside the position, the swap out of it.
 * @throws LpMathError `BARS_MALFORMED`, `STRATEGY_MALFORMED`, `BACKTEST_OPTION_OUT_OF_RANGE`, `FEE_OUT_OF_RANGE`,
 * `DECIMALS_OUT_OF_RANGE`, `TICK_SPACING_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`.
 */
export function replayStrategies(
  bars: Bars,
  strategies: readonly BacktestStrategy[],
  options: BacktestOptions,
): BacktestResult {
  checkBars(bars)
  const count = bars.startsAt.length
  if (count < 2)
    throw new LpMathError('BARS_MALFORMED', 'startsAt holds at least two bars: one to open in, one to earn in.')
  checkBacktestOptions(options, count)
  checkStrategies(strategies)
  const market = marketColumns(bars, options)
  const priceAt = (bar: number) => {
    const price = (market.sqrtPrice[bar] ?? 0) ** 2 * 10 ** (options.decimals0 - options.decimals1)
    return options.baseToken === 0 ? price : 1 / price
  }
  return {
    startsAt: (bars.startsAt[0] ?? 0) + bars.barSeconds,
    endsAt: (bars.startsAt[count - 1] ?? 0) + bars.barSeconds,
    startPrice: priceAt(0),
    endPrice: priceAt(count - 1),
    strategies: strategies.map((strategy) => replayStrategy(bars, strategy, options, market)),
  }
}

/** Times in seconds since 1970, prices of the base token in whole tokens, at the closes of the first and the last bar. */
export type BacktestResult = {
  readonly startsAt: number
  readonly endsAt: number
  readonly startPrice: number
  readonly endPrice: number
  readonly strategies: readonly StrategyResult[]
}
