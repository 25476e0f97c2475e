import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { compareTiers } from './compare-tiers.ts'
import { csvPoolFlags, readCsvPool } from './csv-pool.ts'
import { parseNumber } from './parse-number.ts'
import { showTiers } from './show-tiers.ts'

/** `svc lp fee-tier PIPS=FILE...`: compares pools of one pair, each told by the bars of a CSV file. */
export async function feeTier(argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, {
    values: [...csvPoolFlags.filter((name) => name !== 'fee'), 'amount', 'horizon-days', 'block-seconds'],
    switches: ['json'],
  })
  const named = words.map(tierAndFile)
  const fees = named.map(({ fee }) => fee)
  if (named.length === 0 || new Set(fees).size < fees.length) {
    throw new UsageError('svc lp fee-tier takes each tier once with its CSV file, such as 500=a.csv 3000=b.csv')
  }
  const options = {
    amountUsd: parseNumber('--amount', flags.amount, 0.01, 1e12) ?? 10_000,
    horizonDays: parseNumber('--horizon-days', flags['horizon-days'], 0.05, 365) ?? 30,
    blockSeconds: parseNumber('--block-seconds', flags['block-seconds'], 0.001, 86_400) ?? 12,
  }
  const pools = await Promise.all(named.map(({ fee, file }) => readCsvPool(file, { ...flags, fee })))
  const report = compareTiers(pools, { ...options, now: Date.now })
  process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : showTiers(report))
  return 0
}

function tierAndFile(word: string): { readonly fee: string; readonly file: string } {
  const [, fee, file] = /^(\d+)=(.+)$/.exec(word) ?? []
  if (fee === undefined || file === undefined) {
    throw new UsageError(`a tier is written PIPS=FILE, such as 500=a.csv, not "${word.slice(0, 40)}"`)
  }
  return { fee: String(Number(fee)), file }
}
