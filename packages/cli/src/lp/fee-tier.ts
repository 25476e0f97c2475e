import type * as z from 'zod'
import { tiersForm } from './answer-forms.ts'
import { notesForPeople } from '@svc/tool-server/analysis'
import { figureTable } from '../table.ts'
import { parseWordsAndFlags, parseNumber } from '../parse-words-and-flags.ts'
import { printableText } from '../printable-text.ts'
import { UsageError } from '../usage-error.ts'
import { compareTiers } from './compare-tiers.ts'
import { afterBase, csvPoolFlags, readCsvPool } from './csv/csv-pool.ts'
import { fileOrPool, refuseFlags, poolPlaceFlags } from './pool-place.ts'

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

/** A comparison of fee tiers for a person, best first. */
function showTiers({ pair, analysis, recommendation, notes }: z.infer<typeof tiersForm>): string {
  const { annualized, standardError, classification, note } = analysis.pairVolatility
  const best = analysis.volumeDistribution.toSorted((a, b) => b.netApr - a.netApr)
  const rows = best.map((one) => [
    `${one.feeTier / 10_000} %`,
    one.volumePct === null ? '-' : pct(one.volumePct),
    withError(one.marginalFeeApr, one.feeUncertaintyPct && (one.marginalFeeApr * one.feeUncertaintyPct) / 100),
    pct(one.lvrApr),
    pct(one.arbitrageLossApr),
    withError(one.netApr, one.netAprError),
    between(one.netAprLow95, one.netAprHigh95),
    pct(one.quietDaysPct),
  ])
  const share = (value: number) => (100 * value).toFixed(1)
  const sigma =
    annualized === null ? 'unknown' : `${share(annualized)} ± ${share(standardError ?? 0)} % a year (${classification})`
  return [
    `${pair}, volatility ${sigma}. ${note}`,
    '',
    figureTable(
      ['tier', 'volume', 'fee APR', 'LVR', 'kept by arbitrage', 'net APR', 'in 95 of 100', 'quiet days'],
      rows,
    ).trimEnd(),
    '',
    `Best: ${recommendation.feeTier / 10_000} % (confidence ${recommendation.confidence}). ${recommendation.reason}`,
    ...leadWords(recommendation),
    '"fee APR" is of a range of two deviations to each side, held 30 days; ± is one standard error. "net APR" takes all of LVR off,',
    'since the fees seen hold what arbitrageurs pay; "in 95 of 100" is where it is to be found over 30 days to come. "volume" is of 7 days.',
    ...notesForPeople(notes).map((one) => `- ${one}`),
    '',
  ].join('\n')
}

function leadWords({ leadAprLow95: low, leadAprHigh95: high }: z.infer<typeof tiersForm>['recommendation']): string[] {
  if (low === null || high === null) return []
  return [`Over 30 days to come its lead is ${between(low, high)} a year in 95 of 100 cases.`]
}

function between(low: number | null, high: number | null): string {
  return low === null || high === null ? '-' : `${low.toFixed(2)} to ${pct(high)}`
}

function withError(value: number, error: number | null): string {
  return error === null ? pct(value) : `${pct(value)} ± ${error.toFixed(2)}`
}

function pct(value: number): string {
  return `${value.toFixed(2)} %`
}
