import type * as z from 'zod'
import { tiersForm } from './answer-forms.ts'
import { notesForPeople, dailyTrade, scoreFeeTier, formatTiers } from '@svc/tool-server/analysis'
import { figureTable, printableText } from '../terminal-text.ts'
import { parseWordsAndFlags, parseNumber } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { afterBase, csvPoolFlags, readCsvPool, baseNotes, type CsvPool } from './csv/csv-pool.ts'
import { fileOrPool, refuseFlags, poolPlaceFlags } from './pool-place.ts'
import { barsFrom } from '@svc/lp-math'
import { csvMarket, describeBars, type DescribedBars, quoteWorth } from './csv/csv-market.ts'

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

/**
 * Compares pools of one pair by the rules of `recommend_fee_tier`, over the last 30 days that all their files hold: what that answers,
 * with the members that only files have in `data`. Throws `LpMathError`, and `UsageError` where the files hold no such days.
 */
export function compareTiers(pools: readonly CsvPool[], options: CompareTiersOptions) {
  const common = commonDays(pools, 30)
  const read = common.pools.map((pool) => readTier(pool, options))
  const [busiest] = read.toSorted((a, b) => sum(b.trade.volumes) - sum(a.trade.volumes))
  if (busiest === undefined) throw new TypeError('there is no pool')
  const [first, ...others] = read.map((tier) => scored(tier, busiest))
  if (first === undefined) throw new TypeError('every pool is a tier')
  const note = `EWMA, 0.94 a day, of ${Number(busiest.days.toFixed(1))} days of ${busiest.file}.`
  const { sigma: ewma, standardError, ahead } = busiest.volatility
  const about = { volatility: { ewma, standardError, ahead, note }, notionalUsd: options.amountUsd }
  const reported = formatTiers([first, ...others], about, ({ file }) => ({ file }))
  return {
    pair: busiest.pair,
    chain: null,
    recommendation: reported.recommendation,
    analysis: {
      pairVolatility: reported.pairVolatility,
      volumeDistribution: reported.volumeDistribution,
      competitiveLandscape: { otherDexVolumePct: null, note: 'Files of bars say nothing of other exchanges.' },
    },
    timestamp: new Date(options.now()).toISOString(),
    data: pools.map(describeBars) as readonly DescribedBars[],
    notes: [
      ...pools.slice(0, 1).flatMap(baseNotes),
      `Compared over ${common.span}.`,
      ...reported.notes,
      ...notesOf(pools, options),
    ],
  }
}

export type CompareTiersOptions = {
  readonly amountUsd: number
  readonly blockSeconds: number
  readonly now: () => number
}

type ReadTier = ReturnType<typeof readTier>

/** What a file says of a pool as it stands now, and what it traded day by day. */
function readTier(pool: CsvPool, { amountUsd, blockSeconds }: CompareTiersOptions) {
  const { bars, pair, file, feePips, protocolFeeShare, baseToken, decimals0, decimals1 } = pool
  const [countedToken, decimals] = baseToken === 0 ? ([1, decimals1] as const) : ([0, decimals0] as const)
  const trade = dailyTrade(bars, { feePips, protocolFeeShare, countedToken, decimals, gaps: 0 })
  const market = csvMarket(pool, { amountUsd, blockSeconds, horizonDays: 30, volatilitySource: 'historical' })
  const days = (bars.startsAt.length * bars.barSeconds) / 86_400
  return { ...market, pair, file, feePips, trade, days }
}

/** All tiers are scored at the price and the volatility of the pool that traded most. */
function scored(
  { file, feePips, market, trade }: ReadTier,
  { market: { model, ...busiest }, doubts, volatility }: ReadTier,
) {
  const { price, sigma } = model
  const { blockSeconds, value } = busiest
  return {
    file,
    feeTier: feePips,
    tvlUsd: null,
    feeApy7d: null,
    feeApy30d: null,
    daysKnown: trade.daysKnown,
    weekVolume: sum(trade.volumes.slice(-7)),
    score: scoreFeeTier(
      { ...market, trade },
      { price, sigma, sigmaError: doubts.sigmaError, sigmaAhead: volatility.ahead, blockSeconds, value },
    ),
  }
}

function notesOf(pools: readonly CsvPool[], { blockSeconds }: CompareTiersOptions): string[] {
  return [
    'Bars tell one liquidity, not the ticks of a pool: it is taken to be the same at every price.',
    'Files tell no value locked: tvlUsd and feeApy are null, and confidence is MODERATE at most, as HIGH asks for a pool of over 100 times the amount.',
    ...pools.slice(0, 1).map((pool) => `${quoteWorth(pool)}; blocks come every ${blockSeconds} s.`),
    ...pools.flatMap((pool) => describeBars(pool).notes.map((note) => `${pool.feePips / 10_000} %: ${note}`)),
  ]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/**
 * The pools with those bars alone that lie in the last days that all their files hold. Throws `UsageError` where these are fewer than
 * a comparison needs, and the files hold more.
 */
function commonDays(pools: readonly CsvPool[], days: number): CommonDays {
  const spans = pools.map(spanOf)
  const to = Math.min(...spans.map((span) => span.to))
  const from = Math.max(to - days * 86_400, ...spans.map((span) => span.from))
  const least = Math.min(leastDays * 86_400, ...spans.map((span) => span.to - span.from))
  if (to - from < least) {
    const held = pools.map(({ file }, index) => `${file} ${words(spans[index] ?? { from, to })}`)
    throw new UsageError(
      `the files of svc lp fee-tier hold ${to > from ? `${daysOf({ from, to })} days` : 'no day'} in common, and a comparison needs ${leastDays}: ${held.join(', ')}`,
    )
  }
  return { pools: pools.map((pool) => within(pool, { from, to })), span: words({ from, to }) }
}

type CommonDays = {
  readonly pools: readonly CsvPool[]
  /** From when to when, for a person. */
  readonly span: string
}

/** Unix seconds. */
type Span = { readonly from: number; readonly to: number }

/** Of fewer the tier is reported that is usual. */
const leastDays = 7

function spanOf({ bars: { startsAt, barSeconds } }: CsvPool): Span {
  return { from: startsAt[0] ?? 0, to: (startsAt.at(-1) ?? 0) + barSeconds }
}

/** Bars of a length that no day is a multiple of belong where their middle lies. */
function within(pool: CsvPool, { from, to }: Span): CsvPool {
  const { bars } = pool
  const until = (time: number) => bars.startsAt.filter((start) => start + bars.barSeconds / 2 < time).length
  return { ...pool, bars: barsFrom(bars, until(from), until(to)) }
}

function words(span: Span): string {
  const minute = (seconds: number) => `${new Date(seconds * 1_000).toISOString().slice(0, 16)}Z`
  return `${minute(span.from)} to ${minute(span.to)} (${daysOf(span)} days)`
}

function daysOf({ from, to }: Span): number {
  return Math.floor((to - from) / 8_640) / 10
}
