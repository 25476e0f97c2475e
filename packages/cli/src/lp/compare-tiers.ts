import { chooseRange, classifyVolatility, createRangeAnalyser, positionValue, type PriceBounds } from '@svc/lp-math'
import { csvMarket, type CsvMarket } from './csv-market.ts'
import type { CsvPool } from './csv-pool.ts'
import { describeBars, type DescribedBars } from './describe-bars.ts'
import { feePace } from './fee-pace.ts'
import { figure, netAprError, quietShare } from '@svc/tool-server/analytics'
import { lastDays } from './last-days.ts'
import { doubtsOf } from './doubts-of.ts'

/**
 * Compares pools of one pair by what an amount may earn in each, in one range that holds the price 80 % of the time: what
 * `recommend_fee_tier` answers, the error of the net yield beside it. All are given the volatility of the pool that trades most.
 * Throws `LpMathError`.
 */
export function compareTiers(pools: readonly CsvPool[], options: CompareTiersOptions): TierReport {
  const read = pools.map((pool) => ({ pool, ...csvMarket(pool, { ...options, volatilitySource: 'historical' }) }))
  const [busiest] = read.toSorted((a, b) => b.pace.volumePerDay - a.pace.volumePerDay)
  if (busiest === undefined) throw new Error('there is no pool')
  const { volatility } = busiest
  const { bounds } = chooseRange(createRangeAnalyser(busiest.market), 0.8).atTarget
  const volume = read.reduce((sum, { pace }) => sum + pace.volumePerDay, 0)
  const tiers = read.map(({ pool, pace, market }) => tierOf(pool, { pace, market, volatility }, { bounds, volume }))
  return {
    pair: busiest.pool.pair,
    chain: null,
    recommendation: recommend(tiers),
    analysis: {
      pairVolatility: {
        annualized: figure(volatility.sigma),
        classification: classifyVolatility(volatility.sigma),
        note: `EWMA of the bars of ${busiest.pool.file}, give or take ${(100 * volatility.standardError).toFixed(1)} %.`,
      },
      volumeDistribution: tiers,
      competitiveLandscape: { otherDexVolumePct: null, note: 'Files of bars say nothing of other exchanges.' },
    },
    data: pools.map(describeBars),
    notes: [
      `Each tier: the amount between ${figure(bounds.lower)} and ${figure(bounds.upper)}, which hold the price 80 % of the time, or the nearest ticks beyond; fees less LVR less gas.`,
      'Not the rules by which a pool is told: there the range is two deviations of 30 days to each side, gas is left out, outlying days are capped, quiet ones lower the net yield, and confidence goes by leads over 30 and 7 days and by depth instead of the error of the lead.',
      'Bars tell one liquidity, not the ticks of a pool: it is taken to be the same at every price.',
    ],
    timestamp: new Date(options.now()).toISOString(),
  }
}

export type CompareTiersOptions = {
  readonly amountUsd: number
  readonly horizonDays: number
  readonly blockSeconds: number
  readonly now: () => number
}

export type TierReport = {
  readonly pair: string
  readonly chain: string | null
  readonly recommendation: { readonly feeTier: number; readonly confidence: Confidence; readonly reason: string }
  readonly analysis: {
    readonly pairVolatility: { readonly annualized: number; readonly classification: string; readonly note: string }
    readonly volumeDistribution: readonly ReadTier[]
    readonly competitiveLandscape: { readonly otherDexVolumePct: number | null; readonly note: string }
  }
  readonly data: readonly DescribedBars[]
  readonly notes: readonly string[]
  readonly timestamp: string
}

type Confidence = 'HIGH' | 'MODERATE' | 'LOW'

type ReadTier = ReturnType<typeof tierOf>

function tierOf(pool: CsvPool, read: CsvMarket, { bounds, volume }: { bounds: PriceBounds; volume: number }) {
  const model = { ...read.market.model, sigma: Math.min(read.volatility.sigma, 10) }
  const range = createRangeAnalyser({ ...read.market, model }).analyse(bounds)
  const { feesPerDay, standardError, volumePerDay } = read.pace
  return {
    feeTier: pool.feePips,
    volumePct: volume > 0 ? figure((100 * volumePerDay) / volume) : 0,
    tvlUsd: null,
    feeApy7d: weekApy(pool, read.market),
    marginalFeeApr: figure(range.feeApr),
    standardError:
      standardError === null || feesPerDay === 0 ? null : figure((range.feeApr * standardError) / feesPerDay),
    lvrApr: figure(range.lvrApr),
    arbitrageLossApr: figure(range.arbitrageLossApr),
    netApr: figure(range.netApr),
    netAprError: figure(netAprError(range, doubtsOf(read))),
    quietDaysPct: figure(100 * quietShare(read.pace.volumes)),
  }
}

/** Fees of the last 7 days, a year of them and not compounded, against the value of the full range that would be as deep. */
function weekApy(pool: CsvPool, { profile, model }: CsvMarket['market']): number | null {
  const week = lastDays(pool, 7)
  const held = (profile.liquidity[0] ?? 0) * positionValue({ lower: 0, upper: Infinity }, model.price)
  return week !== null && held > 0 ? figure((100 * 365 * feePace(week).feesPerDay) / held) : null
}

/** The lead is told in standard errors of the fees; the volatility is common to all tiers and decides nothing between them. */
function recommend(tiers: readonly ReadTier[]): TierReport['recommendation'] {
  const [first, second] = tiers.toSorted((a, b) => b.netApr - a.netApr)
  if (first === undefined) throw new Error('there is no tier')
  if (second === undefined) {
    return { feeTier: first.feeTier, confidence: 'LOW', reason: 'It is the only tier that was given.' }
  }
  const lead = first.netApr - second.netApr
  const known = first.standardError !== null && second.standardError !== null
  const error = Math.hypot(first.standardError ?? Infinity, second.standardError ?? Infinity)
  const confidence = lead > 2 * error && lead > 0.25 * first.marginalFeeApr ? 'HIGH' : lead > error ? 'MODERATE' : 'LOW'
  const sure = known ? `, with a standard error of ${error.toFixed(2)}` : ', with an error that so few days do not tell'
  const thin = first.quietDaysPct > 10 ? ` On ${first.quietDaysPct.toFixed(0)} % of its days it hardly trades.` : ''
  return {
    feeTier: first.feeTier,
    confidence: thin === '' ? confidence : 'LOW',
    reason: `Its net APR is ${lead.toFixed(2)} above that of ${second.feeTier}${sure}.${thin}`,
  }
}
