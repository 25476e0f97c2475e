import type { CsvPool, CsvTerms } from './csv/csv-pool.ts'
import { figure } from '@svc/tool-server/analysis'

/** What a file held, and what was fixed in it. */
export function describeBars({ file, bars, filledBars, widenedBars }: CsvPool): DescribedBars {
  const count = bars.startsAt.length
  const days = (count * bars.barSeconds) / 86_400
  return {
    file,
    barSeconds: bars.barSeconds,
    bars: count,
    filledBars,
    widenedBars,
    days: figure(days),
    notes: [
      ...(filledBars === 0
        ? []
        : [`${filledBars} missing ${filledBars === 1 ? 'bar was' : 'bars were'} taken to be without a trade.`]),
      ...(widenedBars === 0
        ? []
        : [`${widenedBars} ${widenedBars === 1 ? 'bar' : 'bars'} had an open or a close outside their low and high.`]),
      ...(days < 14
        ? [`${days.toFixed(1)} days are few: a pool's past is asked for 7 (ranges) or 14 days (backtests).`]
        : []),
    ],
  }
}

export type DescribedBars = {
  readonly file: string
  readonly barSeconds: number
  readonly bars: number
  readonly filledBars: number
  readonly widenedBars: number
  readonly days: number
  readonly notes: readonly string[]
}

/** What a quote token is taken to be worth, by its name where `--pair` tells one: a file knows of no dollars. */
export function quoteWorth({ pair, quoteUsd }: Pick<CsvTerms, 'pair' | 'quoteUsd'>): string {
  return `One ${pair.split('/')[1] ?? 'quote token'} is taken to be ${quoteUsd} USD (--quote-usd)`
}
