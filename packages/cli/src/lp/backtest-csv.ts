import { type BacktestStrategy, laterWinners, replayStrategies, type StrategyResult } from '@svc/lp-math'
import { figure, toldBacktest } from '@svc/tool-server/analytics'
import type { CsvPool } from './csv-pool.ts'
import { describeBars } from './describe-bars.ts'
import { replayOptions } from './replay-options.ts'
import { quoteWorth } from './quote-worth.ts'

/**
 * Replays strategies over the bars of a file: what `backtest_lp_strategy` answers for a pool, with the members that only a file has in
 * `data`, and of each strategy its value once a day and every move. Throws `LpMathError`.
 */
export function backtestCsv(pool: CsvPool, { amountUsd, strategies, now }: BacktestCsvOptions) {
  const { bars, filledBars, gasUsd, pair, quoteUsd, tickSpacing } = pool
  const options = replayOptions(pool, amountUsd)
  const result = replayStrategies(bars, strategies, options)
  const replayed = { ...result, laterWinners: laterWinners(bars, strategies, options) }
  const { notes, ...told } = toldBacktest(strategies, replayed, {
    startValueUsd: amountUsd,
    quoteUsd,
    isGasKnown: gasUsd > 0,
    tickSpacing,
    // What is missing of the file is told in `notes`.
    completeness: { gaps: 0, hasAllTrades: true },
  })
  const data = describeBars(pool)
  return {
    pair,
    chain: null,
    fee: pool.feePips,
    ...told,
    strategies: told.strategies.map((row, index) => withPath(row, result.strategies[index])),
    timestamp: new Date(now()).toISOString(),
    barsExpected: data.bars,
    barsFound: data.bars - filledBars,
    notes: [...data.notes, ...notes, ...assumptionsOf(pool)],
    data,
  }
}

export type BacktestCsvOptions = {
  readonly amountUsd: number
  readonly strategies: readonly BacktestStrategy[]
  readonly now: () => number
}

export type BacktestReport = ReturnType<typeof backtestCsv>

/** What is told of a strategy, with its value at the end of each day, and the ranges before and after each move. */
function withPath<Row extends object>(row: Row, result: StrategyResult | undefined) {
  const { equity = [], rebalances = [] } = result ?? {}
  return {
    ...row,
    equity: equity.map(({ at, valueUsd }) => ({ at: timeOf(at), valueUsd: figure(valueUsd) })),
    rebalances: rebalances.map(({ at, before, after }) => ({
      at: timeOf(at),
      before: boundsOf(before),
      after: boundsOf(after),
    })),
  }
}

function boundsOf({ lower, upper }: { readonly lower: number; readonly upper: number }) {
  return { priceLower: figure(lower), priceUpper: upper === Infinity ? ('Infinity' as const) : figure(upper) }
}

function assumptionsOf(pool: CsvPool): string[] {
  const { gasUsd, protocolFeeShare } = pool
  return [
    `${quoteWorth(pool)} throughout.`,
    gasUsd === 0
      ? 'Gas is left out (--gas-usd).'
      : `Opening and closing cost ${gasUsd} USD of gas each, a rebalance ${2 * gasUsd} USD; it also pays swap fee and price impact.`,
    `The protocol takes ${protocolFeeShare * 100} % of the fees; own liquidity dilutes the rest.`,
    'Positions are opened at the close of the first bar and earn from the next on. Fees are held, not reinvested.',
  ]
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
