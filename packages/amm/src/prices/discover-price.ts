import type { UsdPrice } from '../ports.ts'
import type { Chain } from '@svc/wallet/core'
import type { PricedToken, PoolPlace } from './named-tokens.ts'
import { isAtPeg, type PriceVerdict } from './band/price-band.ts'
import { e18, fixedPriceOfSqrt } from './band/price-range.ts'
import { type Address, zeroAddress } from 'viem'
import { v2PairAddress, v3PoolAddress } from '../liquidity/pools/pool-address.ts'
import { poolIdOf, standardKeys } from '../liquidity/v4/pool-key.ts'
import { type PoolRow, overAllPrices, poolDepth, type PoolReading } from './band/pool-reading.ts'
import { getSqrtPriceAtTick, MAX_TICK } from '@svc/lp-math'
import { type BlockReads, knownQuery } from '../rpc/query.ts'
import { type PastTimes, poolQuery, readPastOfPool } from './source-queries.ts'
import { poolMean, shortestMeanSeconds } from './band/pool-mean.ts'

/** What pools say of a token that nobody named a source for. */
export type DiscoveredPrice = {
  /** For reports; `null` where no pool is deep enough. */
  readonly chosen: ChosenPrice | null
  /**
   * The highest price that any pool gives, or gave at a moment of the last day that was read, pools with next to nothing left out;
   * US dollars for one whole token times 1e18.
   */
  readonly mostE18: bigint | null
  /** Whether the price of half an hour ago is unknown for any of its pools, however shallow now. Then `mostE18` is `null`. */
  readonly isPastless: boolean
}

/**
 * Prices a token by all the pools it has against dollar tokens and the native currency: for reports, and as an upper bound of
 * its worth. Anybody can make such a pool, so it is a source for nothing else.
 *
 * @param floorUsd least depth of a pool in US dollars
 */
export async function discoverPrice(token: PricedToken, market: Market, floorUsd: number): Promise<DiscoveredPrice> {
  const { native, dollars } = market
  const [byDollars, byNative, dollarQuotes, nativeQuote] = await Promise.all([
    Promise.all(dollars.map((dollar) => market.points(token, dollar))),
    market.points(token, native),
    Promise.all(dollars.map(async (dollar) => dollarQuoteOf(await market.verdict(dollar)))),
    token.address === native.address ? null : nativeQuoteOf(market, floorUsd),
  ])
  const quoted = [
    ...byDollars.map((points, index) => ({ points, quote: dollarQuotes[index] ?? null })),
    { points: byNative, quote: nativeQuote },
  ]
  const groups = quoted.flatMap(({ points, quote }) => (quote === null ? [] : [{ points, quote }]))
  const isPastless = [byNative, ...byDollars].flat().some(({ hasPast }) => !hasPast)
  return { chosen: choosePrice(groups, floorUsd), mostE18: isPastless ? null : mostOf(groups), isPastless }
}

/** What a price is discovered with; everything is asked for at once. */
export type Market = {
  readonly native: PricedToken
  readonly dollars: readonly PricedToken[]
  points(token: PricedToken, quote: PricedToken): Promise<readonly PricePoint[]>
  /** Of the named sources of a token; `null` where it has none. */
  verdict(token: PricedToken): Promise<PriceVerdict | null>
}

/** The listed dollar tokens whose pools are looked at. */
export function dollarTokens(chain: Chain): readonly PricedToken[] {
  return chain.tokens.filter(({ usdPegged }) => usdPegged).slice(0, mostDollarTokens)
}

const mostDollarTokens = 3
/** US dollars. Anybody can make a pool with less on its shallower side, at any price. */
const leastHeardUsd = 1_000

type QuotePrice = PriceGroup['quote'] & { readonly highE18: bigint }

function dollarQuoteOf(verdict: PriceVerdict | null): QuotePrice | null {
  const band = verdict?.band ?? null
  if (band === null || !isAtPeg(band)) return null
  return { usd: 1, highE18: band.highE18, method: 'peg', pools: [], confidence: 'HIGH' }
}

/** By its named sources, or where it has none on this chain by its own pools against dollar tokens. */
async function nativeQuoteOf(market: Market, floorUsd: number): Promise<QuotePrice | null> {
  const { native, dollars } = market
  const [verdict, ...pools] = await Promise.all([
    market.verdict(native),
    ...dollars.map((dollar) => market.points(native, dollar)),
  ])
  if (verdict !== null) return namedQuoteOf(verdict)
  const groups = [{ points: pools.flat(), quote: dollar }]
  const chosen = choosePrice(groups, floorUsd)
  const mostE18 = mostOf(groups)
  return chosen === null || mostE18 === null ? null : { ...chosen, highE18: mostE18 }
}

function namedQuoteOf({ band, method, pools, confidence }: PriceVerdict): QuotePrice | null {
  if (band === null) return null
  const usd = Number(band.midE18) / 1e18
  return { usd, highE18: band.highE18, method, pools: pools.slice(0, 1), confidence }
}

const dollar: QuotePrice = { usd: 1, highE18: e18, method: 'peg', pools: [], confidence: 'HIGH' }

function mostOf(
  groups: readonly { readonly points: readonly PricePoint[]; readonly quote: QuotePrice }[],
): bigint | null {
  let most: bigint | null = null
  for (const { points, quote } of groups) {
    for (const { mostE18, depth } of points) {
      if (!(depth * quote.usd >= leastHeardUsd)) continue
      const usdE18 = (mostE18 * quote.highE18 + e18 - 1n) / e18
      if (most === null || usdE18 > most) most = usdE18
    }
  }
  return most
}

type Confidence = UsdPrice['confidence']

/** A price in US dollars and what it rests on, deepest pool first. */
type ChosenPrice = Pick<UsdPrice, 'usd' | 'method' | 'pools' | 'liquidityUsd' | 'confidence'>

/** Pools that price a token in something whose own price is known. */
export type PriceGroup = {
  readonly points: readonly PricePoint[]
  /** Of the quote token; `pools` names the pools behind it. */
  readonly quote: Pick<ChosenPrice, 'usd' | 'method' | 'pools' | 'confidence'>
}

/**
 * The price by the deepest pool that remembers half an hour; by the deepest one's price of the moment when none does. Pools below
 * the floor have no say. Confidence is HIGH for a deep mean that the moment agrees with, LOW for any price of the moment.
 *
 * @param floorUsd least depth of a pool in US dollars
 */
export function choosePrice(groups: readonly PriceGroup[], floorUsd: number): ChosenPrice | null {
  const options = groups
    .flatMap(({ points, quote }) => points.map((point) => ({ point, quote, depthUsd: point.depth * quote.usd })))
    .filter(({ depthUsd }) => depthUsd >= floorUsd)
    .toSorted((a, b) => b.depthUsd - a.depthUsd)
  const chosen = options.find(({ point }) => point.mean !== null) ?? options[0]
  if (chosen === undefined) return null
  const { point, quote, depthUsd } = chosen
  const method = point.mean === null || quote.method === 'pool_spot' ? 'pool_spot' : 'pool_twap'
  return {
    usd: (point.mean ?? point.spot) * quote.usd,
    method,
    pools: [point.pool, ...quote.pools],
    liquidityUsd: depthUsd,
    confidence: lower(confidenceOf(point, depthUsd), quote.confidence),
  }
}

const deepUsd = 250_000
/** How far the moment may be from the mean: for HIGH, and for MODERATE. */
const agrees = 0.02
const strays = 0.1

function confidenceOf(point: PricePoint, depthUsd: number): Confidence {
  if (point.mean === null) return 'LOW'
  const gap = Math.abs(point.spot / point.mean - 1)
  if (gap <= agrees && depthUsd >= deepUsd) return 'HIGH'
  return gap <= strays ? 'MODERATE' : 'LOW'
}

function lower(a: Confidence, b: Confidence): Confidence {
  return ladder.indexOf(a) < ladder.indexOf(b) ? a : b
}

const ladder: readonly Confidence[] = ['LOW', 'MODERATE', 'HIGH']

/**
 * Where pools of a token against another would stand: the v2 pair, the v3 pools of the four tiers, the v4 pools under
 * standard keys, of native currency too where that is what a token wraps.
 */
export function discoverablePools(chain: Chain, token: PricedToken, quote: PricedToken): readonly PoolPlace[] {
  if (token.address === quote.address) return []
  const { v2, v3, v4 } = chain.amm
  const plain = pairOf(token.address, quote.address, token, quote)
  const sorted = sortedOf(plain)
  const placed = (row: PoolRow) => placeOf(plain, row)
  const withNative = ({ address }: PricedToken) =>
    address === chain.wrappedNative.address ? [address, zeroAddress] : [address]
  const managed = withNative(token).flatMap((held) =>
    withNative(quote).map((against) => pairOf(held, against, token, quote)),
  )
  return [
    ...(v2 ? [placed({ version: 'v2', id: v2PairAddress(v2, ...sorted), fee: 3_000 })] : []),
    ...v3Tiers.flatMap((fee) => (v3 ? [placed({ version: 'v3', id: v3PoolAddress(v3, ...sorted, fee), fee })] : [])),
    ...(v4 ? managed.flatMap(managedPools) : []),
  ]
}

const v3Tiers = [100, 500, 3_000, 10_000] as const

type Pair = Pick<PoolPlace, 'token' | 'quote' | 'side' | 'quoteKey'>

function pairOf(token: Address, quote: Address, priced: PricedToken, against: PricedToken): Pair {
  const tokenIs0 = BigInt(token) < BigInt(quote)
  const side = { tokenIs0, tokenDecimals: priced.decimals, quoteDecimals: against.decimals }
  return { token, quote, side, quoteKey: against.address.toLowerCase() }
}

function sortedOf({ token, quote, side }: Pair): readonly [Address, Address] {
  return side.tokenIs0 ? [token, quote] : [quote, token]
}

function managedPools(pair: Pair): readonly PoolPlace[] {
  return standardKeys(...sortedOf(pair)).map((key) => {
    const { fee, tickSpacing } = key
    return placeOf(pair, { version: 'v4', id: poolIdOf(key), fee, tickSpacing })
  })
}

function placeOf(pair: Pair, row: PoolRow): PoolPlace {
  return { ...pair, row, fault: null }
}

/** What pools say that nobody named. @throws ToolError `RPC_*` */
export async function readPoints(
  chain: Chain,
  reads: BlockReads,
  times: PastTimes,
  places: readonly PoolPlace[],
): Promise<readonly PricePoint[]> {
  const atSeconds = Number(reads.head.timestamp)
  const hasState = hasOlderState(reads, times)
  const points = places.map(async (place) => {
    // What a pool remembers itself can be pushed out of it by trades, so that its price would be what it was dumped to.
    const older = readPastOfPool(chain, reads, place, times)
    const [now, past] = await Promise.all([reads.now(poolQuery(chain, place, atSeconds, times)), older])
    const reading = { ...place, ...now, older: past, seen: [] }
    return pointOf(reading, now.recalled.length > 0 || (await hasState))
  })
  return (await Promise.all(points)).flatMap((point) => point ?? [])
}

/** The price of a token in units of another, according to one pool that nobody named. */
export type PricePoint = {
  /** Pair or pool address; for v4 the PoolId. */
  readonly pool: string
  /** Mean of about half an hour, in whole quote tokens for one whole token; `null` where none can be had. */
  readonly mean: number | null
  /** The price at the block, in the same unit. */
  readonly spot: number
  /** Whether its price of half an hour ago can be read, from its own oracle or from older state of the endpoint. */
  readonly hasPast: boolean
  /** The highest of both and of all older prices that were read, up to a day ago; times 1e18 and rounded up. */
  readonly mostE18: bigint
  /**
   * Whole quote tokens that the price rests on: the smaller of what the pool really holds on its shallower side and of what its
   * liquidity, over the time of the mean, would hold over all prices. A narrow range cannot fake the first; a deposit out of
   * range, or one of this block, cannot fake the second. No contract tells what a v4 pool holds: there it is what the
   * liquidity must hold between the nearest usable ticks.
   */
  readonly depth: number
}

/** Whether the endpoint tells of a block long enough ago; travels with what is read there in any case. */
async function hasOlderState(reads: BlockReads, { forSums }: PastTimes): Promise<boolean> {
  const timeOf = knownQuery((atSeconds: number) => atSeconds)
  const times = await Promise.all(forSums.map((number) => reads.past(timeOf, number)))
  return times.some((at) => at !== null && Number(reads.head.timestamp) - at >= shortestMeanSeconds)
}

function pointOf(reading: PoolReading, hasPast: boolean): PricePoint | null {
  const { row, side, now, recalled } = reading
  if (now === null) return null
  const { sqrtPriceX96 } = now
  const mean = poolMean(reading)
  const spotE18 = fixedPriceOfSqrt(sqrtPriceX96, side).highE18
  // Any moment that is known of says what it was worth: a dump of this one makes it no cheaper.
  const recalledPrices = recalled
    .flatMap(({ tick }) => [tick, Math.min(tick + 1, MAX_TICK)])
    .map((tick) => getSqrtPriceAtTick(tick))
  const sqrtPrices = [...[now, ...reading.older].map((moment) => moment.sqrtPriceX96), ...recalledPrices]
  const moments = sqrtPrices.map((sqrtPrice) => fixedPriceOfSqrt(sqrtPrice, side).highE18)
  const { midE18, liquidity } = mean ?? { midE18: spotE18, liquidity: now.liquidity }
  const depth = poolDepth(reading, { priceE18: midE18, spotE18, sqrtPriceX96, liquidity }, overAllPrices)
  return {
    pool: row.id,
    mean: mean === null ? null : Number(midE18) / 1e18,
    spot: Number(spotE18) / 1e18,
    hasPast,
    mostE18: [...moments, mean?.highE18 ?? 0n].reduce((most, one) => (one > most ? one : most)),
    depth: Math.min(depth.tokenSide, depth.quoteSide),
  }
}
