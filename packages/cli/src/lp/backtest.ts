import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { backtestCsv } from './backtest-csv.ts'
import { backtestCurves } from './backtest-curves.ts'
import { csvPoolFlags, readCsvPool } from './csv-pool.ts'
import { parseNumber } from './parse-number.ts'
import { readStrategies } from './read-strategies.ts'
import { showBacktest } from './show-backtest.ts'
import { writeSvg } from './write-svg.ts'

/** `svc lp backtest FILE`: replays strategies over the bars of a CSV file. */
export async function backtest(argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, {
    values: [...csvPoolFlags, 'amount', 'strategies', 'svg'],
    switches: ['json'],
  })
  const [file, more] = words
  if (file === undefined || more !== undefined) throw new UsageError('svc lp backtest takes one CSV file of bars')
  const amountUsd = parseNumber('--amount', flags.amount, 0.01, 1e12) ?? 10_000
  const strategies = await readStrategies(flags.strategies)
  const pool = await readCsvPool(file, flags)
  const report = backtestCsv(pool, { amountUsd, strategies, now: Date.now })
  if (flags.svg !== undefined) {
    await writeSvg(flags.svg, ({ backtestPicture }) => backtestPicture(backtestCurves(pool, strategies, report)))
  }
  process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : showBacktest(report))
  return 0
}
