import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { printableText } from '../printable-text.ts'
import { UsageError } from '../usage-error.ts'
import { tiersForm } from './answer-forms.ts'
import { compareTiers } from './compare-tiers.ts'
import { afterBase, csvPoolFlags, readCsvPool } from './csv/csv-pool.ts'
import { fileOrPool, refuseFlags } from './file-or-pool.ts'
import { parseNumber } from './parse-number.ts'
import { poolPlaceFlags } from './pool-place.ts'
import { showTiers } from './show-tiers.ts'

/** `svc lp fee-tier`: compares pools of one pair, each given by the bars of a CSV file, or those of a chain. */
export async function feeTier(argv: readonly string[], stopped: Promise<unknown>): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, {
    values: [...csvPoolFlags, ...poolPlaceFlags, 'amount', 'block-seconds'],
    switches: ['json'],
  })
  if (flags.chain !== undefined || flags.pool !== undefined) {
    fileOrPool('fee-tier', words, flags)
    refuseFlags(flags, ofOneTier)
    const { askPool } = await import('./ask-pool.ts')
    return askPool(flags, {
      stopped,
      ask: (tools, { token0, token1, chain }) => tools.call('recommend_fee_tier', { token0, token1, chain }, tiersForm),
      show: showTiers,
    })
  }
  refuseFlags(flags, { fee: 'every tier is written with its fee, PIPS=FILE', 'data-dir': 'files need no settings' })
  const named = words.map(tierAndFile)
  const fees = named.map(({ fee }) => fee)
  if (named.length === 0 || new Set(fees).size < fees.length) {
    throw new UsageError(
      'svc lp fee-tier takes each tier once with its CSV file, such as 500=a.csv 3000=b.csv, or --chain with --pair A/B',
    )
  }
  const options = {
    amountUsd: parseNumber('--amount', flags.amount, 0.01, 1e12) ?? 10_000,
    blockSeconds: parseNumber('--block-seconds', flags['block-seconds'], 0.001, 86_400) ?? 12,
  }
  const pools = await Promise.all(named.map(({ fee, file }) => readCsvPool(file, { ...flags, fee })))
  const report = compareTiers(pools, { ...options, now: Date.now })
  process.stdout.write(
    printableText(flags.json ? `${JSON.stringify(report)}\n` : afterBase(pools[0], showTiers(report))),
  )
  return 0
}

/** Flags that `recommend_fee_tier` leaves no choice of. */
const ofOneTier = {
  fee: 'every fee of the pair is compared',
  amount: 'the tiers of a pair are compared by 10000 USD',
}

function tierAndFile(word: string): { readonly fee: string; readonly file: string } {
  const [, fee, file] = /^(\d+)=(.+)$/.exec(word) ?? []
  if (fee === undefined || file === undefined) {
    throw new UsageError(`a tier is written PIPS=FILE, such as 500=a.csv, not "${word.slice(0, 40)}"`)
  }
  return { fee: String(Number(fee)), file }
}
