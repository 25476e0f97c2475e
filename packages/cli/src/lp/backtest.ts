import { type BacktestStrategy, replayStrategies } from '@svc/lp-math'
import { backtestCurves, notesForPeople, strategiesOf, ToolError, usualStrategies } from '@svc/tool-server/analysis'
import { backtestCsv, type BacktestReport } from './csv/backtest-csv.ts'
import { afterBase, type CsvPool, csvPoolFlags, readCsvPool, replayOptions } from './csv/csv-pool.ts'
import { readInputText } from '../read-input-file.ts'
import { UsageError } from '../usage-error.ts'
import { printableText, figureTable } from '../terminal-text.ts'
import { parseWordsAndFlags, parseNumber } from '../parse-words-and-flags.ts'
import { backtestForm } from './answer-forms.ts'
import { fileOrPool, poolPlaceFlags } from './pool-place.ts'
import { readEventsPool } from './events/read-events-pool.ts'
import { svgPath, writeSvg } from './write-svg.ts'
import type * as z from 'zod'

/** `svc lp backtest`: replays strategies over the bars of a CSV file, or over the past of a pool of a chain. */
export async function backtest(argv: readonly string[], stopped: Promise<unknown>): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, {
    values: [
      ...csvPoolFlags,
      ...poolPlaceFlags,
      'amount',
      'block-seconds',
      'start',
      'end',
      'strategies',
      'resolution',
      'svg',
    ],
    switches: ['json'],
  })
  const svg = svgPath(flags.svg)
  const bySwap = isBySwap(flags.resolution)
  const file = bySwap ? eventsFile(words, flags) : fileOrPool('backtest', words, flags)
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
  const pool = bySwap ? await readEventsPool(file, flags) : await readCsvPool(file, flags)
  const report = backtestCsv(pool, { amountUsd, strategies, blockSeconds, now: Date.now })
  if (svg !== undefined) {
    await writeSvg(svg, ({ backtestPicture }) => backtestPicture(csvCurves(pool, strategies, report)))
  }
  process.stdout.write(
    printableText(flags.json ? `${JSON.stringify(report)}\n` : afterBase(pool, showBacktest(report))),
  )
  return 0
}

/** Throws `UsageError` for another resolution than the two. */
function isBySwap(resolution: string | undefined): boolean {
  if (resolution === undefined || resolution === 'bar' || resolution === 'swap') return resolution === 'swap'
  throw new UsageError(`--resolution takes bar or swap, not "${resolution.slice(0, 40)}"`)
}

/** The file of events of a backtest swap by swap. Throws `UsageError` for what is none. */
function eventsFile(words: readonly string[], flags: { readonly chain?: string; readonly pool?: string }): string {
  const [file, more] = words
  if (file === undefined || more !== undefined || flags.chain !== undefined || flags.pool !== undefined) {
    throw new UsageError('svc lp backtest --resolution swap takes one file of events', { seeHelp: true })
  }
  return file
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
  const { bars, baseToken, decimals0, decimals1, gasUsd, quoteUsd, trade } = pool
  const { fee, pair, data, period } = report
  const { startValueUsd } = report.hodlBenchmark
  const scale = 10 ** (decimals0 - decimals1)
  const filled = trade === undefined ? `${data.filledBars} filled` : `fees by ${trade.swaps.length} swaps`
  const gas = gasUsd === 0 ? 'Gas is left out.' : `Opening and closing cost ${gasUsd} USD of gas each.`
  return backtestCurves({
    pair,
    chain: trade === undefined ? 'a file of bars' : 'a file of events',
    fee,
    caption: [`${data.bars} bars of ${data.barSeconds} s, ${period.start} to ${period.end}; ${filled}.`, gas],
    result: replayStrategies(bars, strategies, { ...replayOptions(pool, startValueUsd), withBarEquity: true }),
    startValueUsd,
    price: Array.from(bars.closeTick, (tick) => (baseToken === 0 ? 1.0001 ** tick * scale : 1.0001 ** -tick / scale)),
    quoteUsd,
    startsAt: bars.startsAt[0] ?? 0,
    barSeconds: bars.barSeconds,
  })
}

/** A backtest for a person: a table with error bars, then what it rests on. */
function showBacktest(report: z.infer<typeof backtestForm>): string {
  const { pair, pool, fee, period, priceChange, hodlBenchmark, winner } = report
  const rows = report.strategies.map((one) => [
    one.name,
    `${usd(one.feesEarnedUsd)} ± ${usd((one.feesEarnedUsd * one.feeUncertaintyPct) / 100)}`,
    usd(-one.ilCostUsd),
    usd(-one.lvrUsd),
    usd(-one.swapCostUsd - (one.gasCostUsd ?? 0)),
    String(one.rebalanceCount),
    usd(one.endValueUsd),
    pct(one.netReturnPct),
    pct(one.vsHodlPct),
    pct(one.inRangePct),
    pct(-one.maxDrawdownPct),
    one.sharpeRatio === null ? '-' : one.sharpeRatio.toFixed(2),
  ])
  return [
    `${pair}, ${pool === undefined ? '' : `pool ${pool}, `}fee ${fee / 10_000} %, ${period.start} to ${period.end} (${period.days.toFixed(2)} days)`,
    `Price ${price(priceChange.startPrice)} to ${price(priceChange.endPrice)}, ${pct(priceChange.changePct)}. ` +
      `Half and half, held: ${usd(hodlBenchmark.startValueUsd)} to ${usd(hodlBenchmark.endValueUsd)} USD, ${pct(hodlBenchmark.returnPct)}.`,
    '',
    figureTable(columns, rows).trimEnd(),
    '',
    `Best: ${winner.strategy}. ${winner.reason} ${winner.caveat}`,
    'USD. LVR is another view of the loss, no part of the sum; "vs held" is against the first position\'s tokens.',
    ...notesForPeople(report.notes).map((note) => `- ${note}`),
    '',
  ].join('\n')
}

const columns = [
  'strategy',
  'fees',
  'IL',
  'LVR',
  'swaps, gas',
  'moves',
  'end',
  'net',
  'vs held',
  'in range',
  'drawdown',
  'Sharpe',
]

function usd(value: number): string {
  return (value + 0).toFixed(2).replace(/^-(0\.00)$/, '$1')
}

function pct(value: number): string {
  return `${value.toFixed(2).replace(/^-(0\.00)$/, '$1')} %`
}

function price(value: number): string {
  return String(Number(value.toPrecision(7)))
}
