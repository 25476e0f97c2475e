import type { Bars } from '../bars/bars.ts'
import { LpMathError } from '../lp-math-error.ts'
import type { BacktestOptions } from './backtest-options.ts'
import type { BacktestStrategy } from './backtest-strategy.ts'
import { replayStrategies } from './replay-strategies.ts'

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
