import { type BacktestStrategy, replayStrategies } from '@svc/lp-math'
import { backtestCurves, strategiesOf, ToolError, usualStrategies } from '@svc/tool-server/analysis'
import { backtestCsv, type BacktestReport } from './csv/backtest-csv.ts'
import { afterBase, type CsvPool, csvPoolFlags, readCsvPool } from './csv/csv-pool.ts'
import { replayOptions } from './replay-options.ts'
import { readInputText } from '../read-input-text.ts'
import { UsageError } from '../usage-error.ts'
import { printableText } from '../printable-text.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { backtestForm } from './answer-forms.ts'
import { fileOrPool } from './file-or-pool.ts'
import { parseNumber } from './parse-number.ts'
import { poolPlaceFlags } from './pool-place.ts'
import { showBacktest } from './show-backtest.ts'
import { svgPath, writeSvg } from './write-svg.ts'

/** `svc lp backtest`: replays strategies over the bars of a CSV file, or over the past of a pool of a chain. */
export async function backtest(argv: readonly string[], stopped: Promise<unknown>): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, {
    values: [...csvPoolFlags, ...poolPlaceFlags, 'amount', 'block-seconds', 'start', 'end', 'strategies', 'svg'],
    switches: ['json'],
  })
  const svg = svgPath(flags.svg)
  const file = fileOrPool('backtest', words, flags)
  const amountUsd = parseNumber('--amount', flags.amount, 0.01, 1e12) ?? 10_000
  const strategies = await readStrategies(flags.strategies)
  if (file === null) {
    const input = {
      amount: flags.amount ?? '10000',
      strategies: JSON.stringify(strategies),
      startTime: flags.start ?? new Date(Date.now() - usualDays * 86_400_000).toISOString(),
      ...(flags.end === undefined ? {} : { endTime: flags.end }),
    }
    const { askPool } = await import('./ask-pool.ts')
    return askPool(flags, {
      stopped,
      ask: (tools, pair) => tools.call('backtest_lp_strategy', { ...pair, ...input }, backtestForm),
      show: showBacktest,
    })
  }
  const blockSeconds = parseNumber('--block-seconds', flags['block-seconds'], 0.001, 86_400) ?? 12
  const pool = await readCsvPool(file, flags)
  const report = backtestCsv(pool, { amountUsd, strategies, blockSeconds, now: Date.now })
  if (svg !== undefined) {
    await writeSvg(svg, ({ backtestPicture }) => backtestPicture(csvCurves(pool, strategies, report)))
  }
  process.stdout.write(
    printableText(flags.json ? `${JSON.stringify(report)}\n` : afterBase(pool, showBacktest(report))),
  )
  return 0
}

/** Of a pool, back from now, unless `--start` says otherwise. */
const usualDays = 30

/**
 * The strategies of `--strategies`: a JSON list, or the name of a file that holds one; without the flag the four that the tools have.
 * Throws `UsageError` with the path of each fault, such as `strategies[1].rangePct`.
 */
async function readStrategies(text: string | undefined): Promise<readonly BacktestStrategy[]> {
  if (text === undefined) return usualStrategies
  const written = text.trimStart().startsWith('[') ? text : await readInputText(text, 'a file of strategies', 1 << 20)
  try {
    return strategiesOf(written)
  } catch (error) {
    throw error instanceof ToolError ? new UsageError(`--strategies: ${error.message}`) : error
  }
}

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
