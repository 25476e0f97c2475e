import { type BacktestStrategy, replayStrategies } from '@svc/lp-math'
import { backtestCurves } from '@svc/tool-server/analysis'
import type { BacktestReport } from './backtest-csv.ts'
import type { CsvPool } from './csv-pool.ts'
import { replayOptions } from '../replay-options.ts'

/** What the picture of a backtest of a file is drawn from, with the value of each strategy at every bar that is shown. */
export function csvCurves(pool: CsvPool, strategies: readonly BacktestStrategy[], report: BacktestReport) {
  const { bars, baseToken, decimals0, decimals1, gasUsd, quoteUsd } = pool
  const { fee, pair, data, period } = report
  const { startValueUsd } = report.hodlBenchmark
  const scale = 10 ** (decimals0 - decimals1)
  const gas = gasUsd === 0 ? 'Gas is left out.' : `Opening and closing cost ${gasUsd} USD of gas each.`
  return backtestCurves({
    pair,
    chain: 'a file of bars',
    fee,
    caption: [
      `${data.bars} bars of ${data.barSeconds} s, ${period.start} to ${period.end}; ${data.filledBars} filled.`,
      gas,
    ],
    result: replayStrategies(bars, strategies, { ...replayOptions(pool, startValueUsd), withBarEquity: true }),
    startValueUsd,
    price: Array.from(bars.closeTick, (tick) => (baseToken === 0 ? 1.0001 ** tick * scale : 1.0001 ** -tick / scale)),
    quoteUsd,
    startsAt: bars.startsAt[0] ?? 0,
    barSeconds: bars.barSeconds,
  })
}
