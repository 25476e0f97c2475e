import { printableText } from '../printable-text.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { backtestForm } from './answer-forms.ts'
import { backtestCsv } from './csv/backtest-csv.ts'
import { csvCurves } from './csv/csv-curves.ts'
import { afterBase, csvPoolFlags, readCsvPool } from './csv/csv-pool.ts'
import { fileOrPool } from './file-or-pool.ts'
import { parseNumber } from './parse-number.ts'
import { poolPlaceFlags } from './pool-place.ts'
import { readStrategies } from './read-strategies.ts'
import { showBacktest } from './show-backtest.ts'
import { svgPath } from './svg-path.ts'
import { writeSvg } from './write-svg.ts'

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
