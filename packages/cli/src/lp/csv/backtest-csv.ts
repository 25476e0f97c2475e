import {
  arbitrageShare,
  type BacktestStrategy,
  type FeesBySwap,
  laterWinners,
  LpMathError,
  replayStrategies,
  type StrategyResult,
} from '@svc/lp-math'
import { figure, formatBacktest } from '@svc/tool-server/analysis'
import { baseNotes, type CsvPool, replayOptions } from './csv-pool.ts'
import { describeBars, quoteWorth, pastSigma } from './csv-market.ts'

/**
 * Replays strategies over the bars of a file: what `backtest_lp_strategy` answers for a pool, with the members that only a file has in
 * `data`, and of each strategy its value once a day and every move. Throws `LpMathError`.
 */
export function backtestCsv(pool: CsvPool, { amountUsd, strategies, blockSeconds, now }: BacktestCsvOptions) {
  const { bars, filledBars, gasUsd, pair, quoteUsd, tickSpacing } = pool
  const options = replayOptions(pool, amountUsd)
  const result = replayStrategies(bars, strategies, options)
  const replayed = { ...result, laterWinners: laterWinners(bars, strategies, options) }
  const { notes, ...reported } = formatBacktest(strategies, replayed, {
    startValueUsd: amountUsd,
    quoteUsd,
    isGasKnown: gasUsd > 0,
    tickSpacing,
    // What is missing of the file is reported in `notes`.
    completeness: { gaps: 0, hasAllTrades: true },
  })
  const data = describeBars(pool)
  return {
    pair,
    chain: null,
    fee: pool.feePips,
    ...(pool.trade !== undefined && { resolution: 'swap' as const }),
    ...reported,
    strategies: reported.strategies.map((row, index) => withPath(row, result.strategies[index])),
    timestamp: new Date(now()).toISOString(),
    barsExpected: data.bars,
    barsFound: data.bars - filledBars,
    notes: [
      ...baseNotes(pool),
      ...data.notes,
      ...notes,
      ...assumptionsOf(pool),
      ...differenceNotes(pool, result.strategies),
      ...shareOfLvr(pool, blockSeconds),
    ],
    data,
  }
}

export type BacktestCsvOptions = {
  readonly amountUsd: number
  readonly strategies: readonly BacktestStrategy[]
  /** The mean time between blocks. */
  readonly blockSeconds: number
  readonly now: () => number
}

export type BacktestReport = ReturnType<typeof backtestCsv>

/** What is shown of a strategy, with its value at the end of each day, and the ranges before and after each move. */
function withPath<Row extends object>(row: Row, result: StrategyResult | undefined) {
  const { equity = [], rebalances = [], bySwap = null } = result ?? {}
  return {
    ...row,
    ...(bySwap === null ? {} : describeBySwap(bySwap)),
    equity: equity.map(({ at, valueUsd }) => ({ at: timeOf(at), valueUsd: figure(valueUsd) })),
    rebalances: rebalances.map(({ at, before, after }) => ({
      at: timeOf(at),
      before: boundsOf(before),
      after: boundsOf(after),
    })),
  }
}

/** Fees in smallest units as text, and what bars of the file's length say of the same positions. */
function describeBySwap({ fees0, fees1, feesByBarsUsd, feesDifferenceUsd, feesDifferencePct }: FeesBySwap) {
  return {
    fees0: String(fees0),
    fees1: String(fees1),
    feesByBarsUsd: figure(feesByBarsUsd),
    feesDifferenceUsd: figure(feesDifferenceUsd),
    feesDifferencePct: feesDifferencePct === null ? null : figure(feesDifferencePct),
  }
}

/** How far bars lie off, in one sentence. */
function differenceNotes({ bars }: CsvPool, results: readonly StrategyResult[]): string[] {
  const parts = results.flatMap(({ name, bySwap }) => {
    if (bySwap === null) return []
    const { feesDifferenceUsd: usd, feesDifferencePct: pct } = bySwap
    const sign = usd < 0 ? '' : '+'
    return [`${name} ${sign}${figure(usd)} USD${pct === null ? '' : ` (${sign}${pct.toFixed(2)} %)`}`]
  })
  return parts.length === 0 ? [] : [`Bars of ${bars.barSeconds} s say of the same positions: ${parts.join(', ')}.`]
}

function boundsOf({ lower, upper }: { readonly lower: number; readonly upper: number }) {
  return { priceLower: lower > 0 ? figure(lower) : null, priceUpper: upper === Infinity ? null : figure(upper) }
}

function assumptionsOf(pool: CsvPool): string[] {
  const { gasUsd, protocolFeeShare, trade } = pool
  return [
    `${quoteWorth(pool)} throughout.`,
    gasUsd === 0
      ? 'Gas is left out (--gas-usd).'
      : `Opening and closing cost ${gasUsd} USD of gas each, a rebalance ${2 * gasUsd} USD; it also pays swap fee and price impact.`,
    ...(trade === undefined
      ? [`The protocol takes ${protocolFeeShare * 100} % of the fees; own liquidity dilutes the rest.`]
      : [
          `Fees and time in range are counted swap by swap, ${trade.swaps.length} of them: each step of a swap is shared by who was there and the position.`,
        ]),
    'Positions are opened at the close of the first bar and earn from the next on. Fees are held, not reinvested.',
  ]
}

/** What of the LVR went to arbitrage at this pace of blocks; nothing where the bars tell no volatility. */
function shareOfLvr({ bars, feePips }: CsvPool, blockSeconds: number): string[] {
  try {
    const share = arbitrageShare({ feePips, sigma: pastSigma(bars, feePips, 30).sigma, blockSeconds })
    return [
      `With blocks every ${blockSeconds} s (--block-seconds) about ${(share * 100).toFixed(1)} % of the LVR goes to arbitrage; the rest it pays as fees.`,
    ]
  } catch (error) {
    if (error instanceof LpMathError) return []
    throw error
  }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
