import { type BacktestStrategy, type Bars, replayStrategies } from '@svc/lp-math'
import type { BacktestCurves } from '@svc/tool-server'
import type { BacktestReport } from './backtest-csv.ts'
import type { CsvPool } from './csv-pool.ts'
import { replayOptions } from './replay-options.ts'

/** What the picture of a backtest is drawn from: prices and values at the close of bars, at most so many as the eye can tell apart. */
export function backtestCurves(
  pool: CsvPool,
  strategies: readonly BacktestStrategy[],
  report: BacktestReport,
): BacktestCurves {
  const { bars, baseToken, decimals0, decimals1 } = pool
  const amountUsd = report.hodlBenchmark.startValueUsd
  const result = replayStrategies(bars, strategies, { ...replayOptions(pool, amountUsd), withBarEquity: true })
  const shown = shownBars(bars)
  const at = (bar: number) => (bars.startsAt[bar] ?? 0) + bars.barSeconds
  const price = (bar: number) => {
    const raw = 1.0001 ** (bars.closeTick[bar] ?? 0) * 10 ** (decimals0 - decimals1)
    return baseToken === 0 ? raw : 1 / raw
  }
  return {
    pair: report.pair,
    chain: 'a file of bars',
    fee: report.fee,
    caption: [
      `${report.data.bars} bars of ${report.data.barSeconds} s, ${report.period.start} to ${report.period.end}; ${report.data.filledBars} filled.`,
      pool.gasUsd === 0 ? 'Gas is left out.' : `Opening and closing cost ${pool.gasUsd} USD of gas each.`,
    ],
    prices: shown.map((bar) => ({ at: at(bar), price: price(bar) })),
    hodl: shown.map((bar) => ({ at: at(bar), valueUsd: (amountUsd / 2) * (1 + price(bar) / price(0)) })),
    strategies: result.strategies.map((one) => ({
      name: one.name,
      netReturnPct: one.netReturnPct,
      feesEarnedUsd: one.feesEarnedUsd,
      feeUncertaintyPct: one.feeUncertaintyPct,
      equity: shown.map((bar) => ({ at: at(bar), valueUsd: one.barEquityUsd?.[bar] ?? 0 })),
      ranges: [
        { at: result.startsAt, lower: one.firstRange.lower, upper: one.firstRange.upper },
        ...one.rebalances.map((move) => ({ at: move.at, lower: move.after.lower, upper: move.after.upper })),
      ],
    })),
  }
}

const mostShown = 800

function shownBars({ startsAt }: Bars): number[] {
  const last = startsAt.length - 1
  const step = Math.max(1, last / mostShown)
  return [...Array.from({ length: Math.floor(last / step) }, (_, index) => Math.round(index * step)), last]
}
