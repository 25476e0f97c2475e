import { type Bars, checkBars } from '../bars/bars.ts'
import { LpMathError } from '../lp-math-error.ts'
import {
  type BacktestOptions,
  checkBacktestOptions,
  type BacktestStrategy,
  checkStrategies,
  marketColumns,
} from './backtest-options.ts'
import { replayStrategy } from './replay-strategy.ts'
import type { StrategyResult } from './strategy-result.ts'
import { createSwapFees } from './position-fees.ts'

/**
 * Which strategy ends with the most when all are entered 1, 2, ... 7 days later and end on the same bar: the name for each such start that leaves
 * at least half of the bars, in order. A start at which the value buys no liquidity is left out.
 * @throws LpMathError as {@link replayStrategies}.
 */
export function laterWinners(
  bars: Bars,
  strategies: readonly BacktestStrategy[],
  options: BacktestOptions,
): readonly string[] {
  const count = bars.startsAt.length
  const barsOfDay = 86_400 / bars.barSeconds
  const starts = Array.from({ length: MOST_DAYS }, (_, day) => Math.round((day + 1) * barsOfDay))
  return starts
    .filter((start) => start > 0 && 2 * start <= count && count - start >= 2)
    .flatMap((start) => winnerFrom(start, bars, strategies, options))
}

const MOST_DAYS = 7

function winnerFrom(
  start: number,
  bars: Bars,
  strategies: readonly BacktestStrategy[],
  options: BacktestOptions,
): readonly string[] {
  try {
    const later = replayStrategies(barsFrom(bars, start), strategies, optionsFrom(options, start))
    const [best] = later.strategies.toSorted((a, b) => b.endValueUsd - a.endValueUsd)
    return best === undefined ? [] : [best.name]
  } catch (error) {
    if (error instanceof LpMathError && error.code === 'LIQUIDITY_OUT_OF_RANGE') return []
    throw error
  }
}

function optionsFrom(options: BacktestOptions, start: number): BacktestOptions {
  const from = (column: number | Float64Array) => (typeof column === 'number' ? column : column.subarray(start))
  const { open, close, rebalance } = options.gasUsd
  return {
    ...options,
    quoteUsd: from(options.quoteUsd),
    gasUsd: { open: from(open), close: from(close), rebalance: from(rebalance) },
    withBarEquity: false,
  }
}

/** The bars from one on, up to another that is none of them, as views of the same columns. */
export function barsFrom(bars: Bars, start: number, end = bars.startsAt.length): Bars {
  const from = (column: Float64Array) => column.subarray(start, end)
  const { feeGrowth } = bars
  return {
    barSeconds: bars.barSeconds,
    startsAt: from(bars.startsAt),
    openTick: from(bars.openTick),
    lowTick: from(bars.lowTick),
    highTick: from(bars.highTick),
    closeTick: from(bars.closeTick),
    amount0In: from(bars.amount0In),
    amount1In: from(bars.amount1In),
    liquidity: from(bars.liquidity),
    feeGrowth: feeGrowth === null ? null : { token0: from(feeGrowth.token0), token1: from(feeGrowth.token1) },
  }
}

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
  checkBacktestOptions(options, bars)
  checkStrategies(strategies)
  const market = marketColumns(bars, options)
  const swapFees = options.trade === undefined ? null : createSwapFees(bars, options.trade)
  const priceAt = (bar: number) => {
    const price = (market.sqrtPrice[bar] ?? 0) ** 2 * 10 ** (options.decimals0 - options.decimals1)
    return options.baseToken === 0 ? price : 1 / price
  }
  return {
    startsAt: (bars.startsAt[0] ?? 0) + bars.barSeconds,
    endsAt: (bars.startsAt[count - 1] ?? 0) + bars.barSeconds,
    startPrice: priceAt(0),
    endPrice: priceAt(count - 1),
    strategies: strategies.map((strategy) => replayStrategy(bars, strategy, options, { market, swapFees })),
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
