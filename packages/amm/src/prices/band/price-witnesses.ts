import type { PriceWitness, PriceBand } from '../../ports.ts'
import type { FeedReading, FeedWitness } from './feed-witness.ts'
import {
  e18,
  hullOf,
  overlaps,
  type PriceRange,
  type SeenBand,
  clamped,
  fixedPriceOfSqrt,
  type PriceSide,
  throughQuote,
  widenedBy,
} from './price-range.ts'
import {
  depthReach,
  type PoolDepth,
  poolDepth,
  type PoolReading,
  type PoolRow,
  type PoolSnapshot,
} from './pool-reading.ts'
import { longestMeanSeconds, type PoolMean, poolMean, shortestMeanSeconds } from './pool-mean.ts'

/** What every named source said and what became of it, for people. */
export function priceWitnesses(judged: JudgedSources): readonly PriceWitness[] {
  const { usdPegged, pegCounts, feed, pools, bound, expected, isFree } = judged
  return [
    ...(usdPegged ? [pegWitness(pegCounts)] : []),
    ...(feed === null ? [] : [feedLine(feed)]),
    ...pools.map((pool) => poolLine(pool, judged)),
    ...(bound === null ? [] : [{ source: 'seen before', ...bound, counts: true, note: jumped }]),
    ...(expected === null || isFree ? [] : [{ source: 'expected', ...expected, counts: false, note: confirmed }]),
  ]
}

export type JudgedSources = {
  readonly usdPegged: boolean
  readonly pegCounts: boolean
  readonly feed: { readonly reading: FeedReading; readonly said: FeedWitness } | null
  readonly pools: readonly PoolWitness[]
  readonly weighed: WeighedPools
  /** What feed, means and peg say, before prices of the moment; `null` where they say nothing. */
  readonly basic: PriceRange | null
  /** What a jump was held to. */
  readonly bound: PriceRange | null
  readonly expected: PriceRange | null
  /** Whether a feed or a peg says what it is worth, so that what is expected decides nothing. */
  readonly isFree: boolean
}

/** Which pools make a price, after those that are too thin to contradict the others are left out. */
export type WeighedPools = {
  readonly deps: readonly SpeakingPool[]
  /** Prices of the moment. */
  readonly moments: readonly SpeakingPool[]
  readonly thin: readonly SpeakingPool[]
}

/**
 * A pool that lies outside what the feed and the deep pools say, and holds less than a fifth of all named depth, is left out
 * where a feed or a mean of another pool counts. Deep is whoever holds a fifth, and as many of the next as together make half:
 * six equal pools are not each too thin for the other five.
 *
 * @param feed what a feed says, where it counts
 */
export function weighPools(feed: PriceRange | null, pools: readonly SpeakingPool[]): WeighedPools {
  const deps = pools.filter(({ isMean }) => isMean).toSorted((one, other) => other.depthUsd - one.depthUsd)
  const namedUsd = depthOf(pools)
  const isThin = ({ depthUsd }: SpeakingPool) => depthUsd * thinnessDivisor < namedUsd
  const deep = deepPools(deps, namedUsd, isThin, feed !== null)
  const core = hullOf([...(feed === null ? [] : [feed]), ...deep])
  const counted = deps.filter((pool) => deep.includes(pool) || !isThin(pool) || agrees(pool, core))
  const base = hullOf([...(feed === null ? [] : [feed]), ...counted])
  const moments = pools.filter((pool) => !pool.isMean && !(isThin(pool) && !agrees(pool, base)))
  return {
    deps: counted,
    moments,
    thin: pools.filter((pool) => !counted.includes(pool) && !moments.includes(pool)),
  }
}

const confirmed = 'what a person expects; outside of it none leaves without a person'
const jumped = 'the price is further from what was seen than its volatility explains'

function pegWitness(counts: boolean): PriceWitness {
  const note = counts ? 'target price' : 'off its peg'
  return { source: 'peg', lowE18: e18, highE18: e18, counts, note }
}

function feedLine({ reading, said }: NonNullable<JudgedSources['feed']>): PriceWitness {
  const source = `feed ${reading.row.address}`
  if (said.silent !== null) return silentLine(source, said.silent)
  const { lowE18, highE18 } = said
  return { source, lowE18, highE18, counts: true, note: `answers anew at ${reading.row.deviationBps} bps` }
}

function poolLine(pool: PoolWitness, { weighed, basic }: JudgedSources): PriceWitness {
  const source = `${pool.row.version} pool ${pool.row.id}`
  if (pool.silent !== null) return silentLine(source, pool.silent)
  const [counts, why] = standing(pool, weighed, basic)
  const { lowE18, highE18, note } = pool
  return { source, lowE18, highE18, counts, note: why === null ? note : `${note}; ${why}` }
}

function standing(
  pool: SpeakingPool,
  { deps, thin }: WeighedPools,
  basic: PriceRange | null,
): [boolean, string | null] {
  if (thin.includes(pool)) return [false, 'too thin to contradict the others']
  if (deps.includes(pool) || basic === null) return [true, null]
  return overlaps(pool, basic) ? [false, 'agrees with the others'] : [true, 'contradicts the others']
}

function silentLine(source: string, note: string): PriceWitness {
  return { source, lowE18: null, highE18: null, counts: false, note }
}

function deepPools(
  deps: readonly SpeakingPool[],
  namedUsd: number,
  isThin: (pool: SpeakingPool) => boolean,
  hasFeed: boolean,
): readonly SpeakingPool[] {
  // Thin pools that together are less than half stand against a feed alone.
  if (hasFeed && depthOf(deps) * 2 < namedUsd) return deps.filter((pool) => !isThin(pool))
  let sumUsd = 0
  return deps.filter((pool) => {
    const isNeeded = sumUsd * 2 < namedUsd
    sumUsd += pool.depthUsd
    return isNeeded || !isThin(pool)
  })
}

/** Whether a range is within the most that honest sources differ by; with nothing to differ from, it is. */
function agrees(range: PriceRange, hull: PriceRange | null): boolean {
  if (hull === null) return true
  const [whole, more] = [100n, 100n + mostDissentPct]
  return range.lowE18 * whole <= hull.highE18 * more && range.highE18 * more >= hull.lowE18 * whole
}

/** Percent. */
const mostDissentPct = 2n
/** A pool with less than the named depth divided by this is thin. */
const thinnessDivisor = 5

function depthOf(pools: readonly SpeakingPool[]): number {
  return pools.reduce((sum, { depthUsd }) => sum + depthUsd, 0)
}

/** What a named pool says about the price of its token in a quote token, and what the quote token is worth. */
export type PoolEvidence = {
  readonly row: PoolRow
  /** In whole quote tokens, as all of these; `null` where none can be had. */
  readonly mean: PoolMean | null
  readonly spot: PriceRange
  /** What its price is weighted with. */
  readonly depth: PoolDepth
  /** What stood there throughout. */
  readonly leastDepth: PoolDepth
  /** The price at older blocks, from before the mean. */
  readonly before: readonly SeenBand[]
  readonly quote: QuoteWorth
}

/** The band of a quote token, or why a pool against it says nothing. */
export type QuoteWorth = { readonly band: PriceBand; readonly silent: null } | { readonly silent: string }

/** What a pool says in US dollars, or why it says nothing. */
export type PoolWitness = SpeakingPool | SilentPool

export type SilentPool = { readonly row: PoolRow; readonly silent: string }

export type SpeakingPool = PriceRange & {
  readonly row: PoolRow
  readonly midE18: bigint
  /** Whether it is a mean over time. Else it is how far the price of the moment may have been pushed. */
  readonly isMean: boolean
  /** Whether it is a mean that rests on sums since the server looked, between moments that whoever called it had chosen. */
  readonly isSummed: boolean
  /** The shallower side. */
  readonly depthUsd: number
  /** Of what stood there throughout. */
  readonly leastDepthUsd: number
  /** Older prices, at what the quote is worth now; none where neither a feed nor a peg says that. */
  readonly before: readonly SeenBand[]
  readonly note: string
  readonly silent: null
}

/**
 * What a pool says in US dollars: its mean times the band of its quote token, or, without a mean that counts, its current price
 * widened both ways by as far as it can have been pushed.
 *
 * @param pushBudgetUsd US dollars that a push is presumed to cost in fees
 */
export function poolWitness(pool: PoolEvidence, pushBudgetUsd: number): PoolWitness {
  const { row, quote, mean, spot, depth, leastDepth, before } = pool
  if (quote.silent !== null) return { row, silent: quote.silent }
  const { band } = quote
  const usdOf = ({ tokenSide, quoteSide }: PoolDepth) => Math.min(tokenSide, quoteSide) * (Number(band.midE18) / 1e18)
  const depthUsd = usdOf(depth)
  const said = {
    row,
    depthUsd,
    leastDepthUsd: usdOf(leastDepth),
    before: band.basis === 'feed' ? before.map((one) => seenThrough(one, band)) : [],
    silent: null,
  }
  if (mean !== null && mean.seconds >= shortestMeanSeconds) {
    const range = throughQuote(mean, band)
    const midE18 = clamped((mean.midE18 * band.midE18) / 10n ** 18n, range)
    const note = `mean of ${Math.round(mean.seconds / 60)} min from ${mean.from}`
    if (band.basis !== 'cold')
      return {
        ...said,
        ...range,
        midE18,
        isMean: true,
        isSummed: row.version !== 'v2' && mean.from === 'earlier sightings',
        note,
      }
    return {
      ...said,
      ...range,
      midE18,
      isMean: false,
      isSummed: false,
      note: `${note}, against a quote priced by the moment`,
    }
  }
  const moment = throughQuote(spot, band)
  const range = widenedBy(moment, pushFactor(pushBudgetUsd, row.fee, depthUsd))
  const midE18 = clamped((moment.lowE18 + moment.highE18) / 2n, range)
  return {
    ...said,
    ...range,
    midE18,
    isMean: false,
    isSummed: false,
    note: 'price of the moment, as far as it may have been pushed',
  }
}

/** What a pool's readings come to, but for the worth of its quote token; `null` where no such pool stands or it has no price. */
export function poolEvidence(reading: PoolReading): Omit<PoolEvidence, 'quote'> | null {
  const { row, side, now, older } = reading
  if (now === null) return null
  const mean = poolMean(reading)
  const spot = fixedPriceOfSqrt(now.sqrtPriceX96, side)
  const spotE18 = spot.highE18
  const { liquidity } = now
  const { midE18, ...stood } = mean ?? { midE18: spotE18, liquidity, leastLiquidity: liquidity }
  const depthOf = (inRange: bigint) => {
    const over = { priceE18: midE18, spotE18, sqrtPriceX96: now.sqrtPriceX96, liquidity: inRange }
    return poolDepth(reading, over)
  }
  const before = older
    .filter(({ atSeconds }) => now.atSeconds - atSeconds > longestMeanSeconds)
    .map((moment) => seenAt(moment, side))
  return { row, mean, spot, depth: depthOf(stood.liquidity), leastDepth: depthOf(stood.leastLiquidity), before }
}

function seenThrough({ midE18, atSeconds, ...edges }: SeenBand, quote: PriceBand): SeenBand {
  return { ...throughQuote(edges, quote), midE18: (midE18 * quote.midE18) / 10n ** 18n, atSeconds }
}

/**
 * The factor by which a price can be pushed for so much in fees, there and back within one block, when only fees are lost. Along a
 * constant product with reserve Y, pushing the price by k takes Y (sqrt(k) - 1), and as much to push it back; up to `depthReach` the
 * whole depth is used up. Nobody knows what stands beyond it, so the square root of the price is taken to rise with the money spent.
 */
function pushFactor(pushBudgetUsd: number, fee: number, depthUsd: number): number {
  const feesForAllUsd = 2 * (fee / 1_000_000) * depthUsd
  if (feesForAllUsd === 0) return mostPush
  const share = pushBudgetUsd / feesForAllUsd
  const reach = Math.sqrt(1 + depthReach) - 1
  const root = share <= 1 ? 1 + reach * share : (1 + reach) * share
  return Math.min(root ** 2, mostPush)
}

/**
 * The largest factor of a push that is presumed, however thin the pool. A range without end would agree with everything, so
 * emptying a pool for one block would silence it.
 */
const mostPush = 4

function seenAt({ sqrtPriceX96, atSeconds }: PoolSnapshot, side: PriceSide): SeenBand {
  const range = fixedPriceOfSqrt(sqrtPriceX96, side)
  return { ...range, midE18: range.highE18, atSeconds }
}
