import type { PriceBand } from '../../ports.ts'
import type { SeenBand } from './jump-bound.ts'
import { depthReach, type PoolDepth, poolDepth } from './pool-depth.ts'
import { longestMeanSeconds, type PoolMean, poolMean, shortestMeanSeconds } from './pool-mean.ts'
import type { PoolReading, PoolRow, PoolSnapshot } from './pool-reading.ts'
import { clamped, fixedPriceOfSqrt, type PriceRange, type PriceSide, throughQuote, widenedBy } from './price-range.ts'

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
