import { type BacktestStrategy, laterWinners, replayStrategies, type StrategyResult } from '@svc/lp-math'
import type { CsvPool } from './csv-pool.ts'
import { describeBars, type DescribedBars } from './describe-bars.ts'
import { backtestWinner, figure } from '@svc/tool-server/analytics'
import { replayOptions } from './replay-options.ts'

/**
 * Replays strategies over the bars of a file: what `backtest_lp_strategy` answers for a pool, with the members that only a file has in
 * `data`. Throws `LpMathError`.
 */
export function backtestCsv(pool: CsvPool, options: BacktestCsvOptions): BacktestReport {
  const { amountUsd, strategies, now } = options
  const replay = replayOptions(pool, amountUsd)
  const result = replayStrategies(pool.bars, strategies, replay)
  const later = laterWinners(pool.bars, strategies, replay)
  const { startPrice, endPrice, startsAt, endsAt } = result
  const data = describeBars(pool)
  const halves = (amountUsd / 2) * (1 + endPrice / startPrice)
  return {
    pair: pool.pair,
    chain: null,
    fee: pool.feePips,
    period: { start: timeOf(startsAt), end: timeOf(endsAt), days: figure((endsAt - startsAt) / 86_400) },
    priceChange: {
      startPrice: figure(startPrice),
      endPrice: figure(endPrice),
      changePct: figure((endPrice / startPrice - 1) * 100),
    },
    hodlBenchmark: {
      startValueUsd: amountUsd,
      endValueUsd: figure(halves),
      returnPct: figure((halves / amountUsd - 1) * 100),
    },
    strategies: result.strategies.map(told),
    // What is missing of the file is told in `notes`.
    winner: backtestWinner({ ...result, laterWinners: later }, { gaps: 0, hasAllTrades: true }),
    data,
    notes: [...data.notes, ...assumptionsOf(pool)],
    timestamp: new Date(now()).toISOString(),
  }
}

export type BacktestCsvOptions = {
  readonly amountUsd: number
  readonly strategies: readonly BacktestStrategy[]
  readonly now: () => number
}

export type BacktestReport = {
  readonly pair: string
  readonly chain: string | null
  readonly fee: number
  readonly period: { readonly start: string; readonly end: string; readonly days: number }
  readonly priceChange: { readonly startPrice: number; readonly endPrice: number; readonly changePct: number }
  /** Half of the amount in each token, held. */
  readonly hodlBenchmark: { readonly startValueUsd: number; readonly endValueUsd: number; readonly returnPct: number }
  readonly strategies: readonly ToldStrategy[]
  readonly winner: { readonly strategy: string; readonly reason: string; readonly caveat: string }
  readonly data: DescribedBars
  readonly notes: readonly string[]
  readonly timestamp: string
}

/** What is told of a strategy: money in US dollars, costs positive, `Pct` in percent. */
export type ToldStrategy = ReturnType<typeof told>

function told(one: StrategyResult) {
  const { sharpeRatio, rebalances } = one
  return {
    name: one.name,
    feesEarnedUsd: figure(one.feesEarnedUsd),
    ilCostUsd: figure(one.ilCostUsd),
    rebalanceCount: rebalances.length,
    rebalanceGasCostUsd: figure(one.rebalanceGasUsd),
    endValueUsd: figure(one.endValueUsd),
    netReturnPct: figure(one.netReturnPct),
    vsHodlPct: figure(one.vsHodlPct),
    inRangePct: figure(one.inRangePct),
    sharpeRatio: sharpeRatio === null ? null : figure(sharpeRatio),
    feeUncertaintyPct: figure(one.feeUncertaintyPct),
    hodlMoveUsd: figure(one.hodlMoveUsd),
    lvrUsd: figure(one.lvrUsd),
    swapCostUsd: figure(one.swapCostUsd),
    gasCostUsd: figure(one.gasUsd),
    vs5050Pct: figure(one.versus5050Pct),
    maxDrawdownPct: figure(one.maxDrawdownPct),
    equity: one.equity.map(({ at, valueUsd }) => ({ at: timeOf(at), valueUsd: figure(valueUsd) })),
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

function assumptionsOf({ quoteUsd, gasUsd, protocolFeeShare }: CsvPool): string[] {
  return [
    `One quote token is ${quoteUsd} USD throughout.`,
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
