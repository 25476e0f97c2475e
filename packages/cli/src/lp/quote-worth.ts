import type { CsvTerms } from './csv/csv-pool.ts'

/** What a quote token is taken to be worth, by its name where `--pair` tells one: a file knows of no dollars. */
export function quoteWorth({ pair, quoteUsd }: Pick<CsvTerms, 'pair' | 'quoteUsd'>): string {
  return `One ${pair.split('/')[1] ?? 'quote token'} is taken to be ${quoteUsd} USD (--quote-usd)`
}
