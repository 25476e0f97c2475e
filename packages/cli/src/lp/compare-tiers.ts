import { barsFrom } from '@svc/lp-math'
import { UsageError } from '../usage-error.ts'
import { baseNotes, type CsvPool } from './csv/csv-pool.ts'
import { dailyTrade, scoreFeeTier, formatTiers } from '@svc/tool-server/analysis'
import { csvMarket } from './csv/csv-market.ts'
import { describeBars, type DescribedBars, quoteWorth } from './describe-bars.ts'

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
