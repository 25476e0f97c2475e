import { integerSqrt, MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE } from '@svc/lp-math'
import type { Chain, UsdFeed } from '@svc/wallet/core'
import { type Address, type Hex, parseAbi } from 'viem'
import { erc20Abi } from '../abis/tokens.ts'
import { v2PairAbi } from '../abis/v2.ts'
import { v3PoolAbi } from '../abis/v3.ts'
import { v4StateViewAbi } from '../abis/v4.ts'
import { contractFunction } from '../rpc/contract-function.ts'
import { joinQueries, knownQuery, mapQuery, query, type Query, type PastQuery, type BlockReads } from '../rpc/query.ts'
import type { PoolPlace } from './named-tokens.ts'
import { laterPartSeconds, meanSeconds, shortestMeanSeconds } from './band/pool-mean.ts'
import type { PoolReading, PoolSample, PoolSnapshot } from './band/pool-reading.ts'
import { unknownVersion } from '../ports/pools.ts'
import type { FeedReading, SequencerReading } from './band/feed-witness.ts'

/** A pool at the head: how it stands, what it really holds, and what its own oracle remembers. */
export function poolQuery(
  chain: Chain,
  place: PoolPlace,
  atSeconds: number,
  { oracleAges }: Pick<PastTimes, 'oracleAges'>,
): Query<PoolNow> {
  const isV3 = place.row.version === 'v3'
  const parts = [
    snapshotQuery(chain, place),
    place.row.version === 'v4' ? knownQuery(null) : heldQuery(place),
    isV3 ? oracleQuery(place.row.id, atSeconds, oracleAges) : knownQuery({ observed: [], recalled: [] }),
  ] as const
  return mapQuery(joinQueries(parts), ([snapshot, held, oracle]) => ({ now: snapshot(atSeconds), held, ...oracle }))
}

export type PoolNow = Pick<PoolReading, 'now' | 'held'> & OracleReading

/** How a pool stands at a block; `null` where it does not, or has no price. */
export function snapshotQuery(chain: Chain, { row }: Pick<PoolPlace, 'row'>): PastQuery<PoolSnapshot | null> {
  if (row.version === 'v2') return pairQuery(row.id)
  if (row.version === 'v3') return tickPoolQuery(row.id)
  if (row.version !== 'v4') throw unknownVersion(row.version)
  const { v4 } = chain.amm
  return v4 === undefined ? knownQuery(() => null) : managedPoolQuery(v4.stateView, row.id)
}

/** A pool at the older blocks whose state the endpoint has. */
export async function readPastOfPool(
  chain: Chain,
  reads: BlockReads,
  { row }: Pick<PoolPlace, 'row'>,
  { forSums, forMoments }: PastTimes,
): Promise<readonly PoolSnapshot[]> {
  const numbers = row.version === 'v2' ? forSums : forMoments
  const snapshot = snapshotQuery(chain, { row })
  const found = await Promise.all(numbers.map((number) => reads.past(snapshot, number)))
  return found.flatMap((one) => one ?? [])
}

function pairQuery(pair: Address): PastQuery<PoolSnapshot | null> {
  const reads = [readReserves(pair, []), readPrice0Sum(pair, []), readPrice1Sum(pair, [])] as const
  return query(reads, ([reserves, sum0, sum1]) => (atSeconds) => {
    if (reserves === null || sum0 === null || sum1 === null) return null
    const [reserve0, reserve1, writtenAt] = reserves
    if (reserve0 === 0n || reserve1 === 0n) return null
    const sqrtPriceX96 = integerSqrt((reserve1 << 192n) / reserve0)
    if (!isPrice(sqrtPriceX96)) return null
    // The pair writes its sums at its own changes; until the block they grow as UniswapV2OracleLibrary lets them.
    const since = BigInt.asUintN(32, BigInt(atSeconds) - BigInt(writtenAt))
    const price0X112 = BigInt.asUintN(256, sum0 + ((reserve1 << 112n) / reserve0) * since)
    const price1X112 = BigInt.asUintN(256, sum1 + ((reserve0 << 112n) / reserve1) * since)
    const liquidity = integerSqrt(reserve0 * reserve1)
    return { atSeconds, sqrtPriceX96, liquidity, sums: { kind: 'prices', price0X112, price1X112 } }
  })
}

function tickPoolQuery(pool: Address): PastQuery<PoolSnapshot | null> {
  const reads = [readSlot0(pool, []), readLiquidity(pool, []), readObserve(pool, [[0]])] as const
  return query(reads, ([slot0, liquidity, observed]) => (atSeconds) => {
    if (slot0 === null || liquidity === null || !isPrice(slot0[0])) return null
    const [sample = null] = samplesOf(observed, [atSeconds])
    return { atSeconds, sqrtPriceX96: slot0[0], liquidity, sums: sample?.sums ?? null }
  })
}

function managedPoolQuery(stateView: Address, id: Hex): PastQuery<PoolSnapshot | null> {
  const reads = [readManagedSlot0(stateView, [id]), readManagedLiquidity(stateView, [id])] as const
  return query(reads, ([slot0, liquidity]) => (atSeconds) => {
    if (slot0 === null || liquidity === null || !isPrice(slot0[0])) return null
    return { atSeconds, sqrtPriceX96: slot0[0], liquidity, sums: null }
  })
}

type OracleReading = Pick<PoolReading, 'observed' | 'recalled'>

/** Empty where the oracle does not reach back: it answers all of them or none. A single second is what was summed up in it. */
function oracleQuery(pool: Address, atSeconds: number, singleAges: readonly number[]): Query<OracleReading> {
  const ages = [meanSeconds, laterPartSeconds, ...singleAges.flatMap((age) => [age + 1, age])]
  return query([readObserve(pool, [ages])], ([reported]) => {
    const samples = samplesOf(
      reported,
      ages.map((age) => atSeconds - age),
    )
    return { observed: samples.slice(0, 2), recalled: recalledIn(samples.slice(2)) }
  })
}

/** The tick and the liquidity of each second, from what was summed up before it and after it. */
export function recalledIn(samples: readonly PoolSample[]): PoolReading['recalled'] {
  return samples.flatMap((after, index) => {
    const before = samples[index - 1]
    if (index % 2 === 0 || before?.sums.kind !== 'ticks' || after.sums.kind !== 'ticks') return []
    const tick = Number(after.sums.tick - before.sums.tick)
    if (Math.abs(tick) > MAX_TICK) return []
    const growth = BigInt.asUintN(160, after.sums.perLiquidityX128 - before.sums.perLiquidityX128)
    return [{ atSeconds: after.atSeconds, tick, liquidity: growth === 0n ? 0n : 2n ** 128n / growth }]
  })
}

function samplesOf(
  observed: readonly [readonly bigint[], readonly bigint[]] | null,
  times: readonly number[],
): readonly PoolSample[] {
  return times.flatMap((atSeconds, index) => {
    const [tick, perLiquidityX128] = [observed?.[0][index], observed?.[1][index]]
    if (tick === undefined || perLiquidityX128 === undefined) return []
    return [{ atSeconds, sums: { kind: 'ticks', tick, perLiquidityX128 } }]
  })
}

function heldQuery({ row, token, quote }: PoolPlace): Query<PoolReading['held']> {
  const reads = [readBalanceOf(token, [row.id]), readBalanceOf(quote, [row.id])] as const
  return query(reads, ([ofToken, ofQuote]) => ({ token: ofToken ?? 0n, quote: ofQuote ?? 0n }))
}

function isPrice(sqrtPriceX96: bigint): boolean {
  return sqrtPriceX96 >= MIN_SQRT_PRICE && sqrtPriceX96 < MAX_SQRT_PRICE
}

const readReserves = contractFunction(v2PairAbi, 'getReserves')
const readPrice0Sum = contractFunction(v2PairAbi, 'price0CumulativeLast')
const readPrice1Sum = contractFunction(v2PairAbi, 'price1CumulativeLast')
const readSlot0 = contractFunction(v3PoolAbi, 'slot0')
const readLiquidity = contractFunction(v3PoolAbi, 'liquidity')
const readObserve = contractFunction(v3PoolAbi, 'observe')
const readManagedSlot0 = contractFunction(v4StateViewAbi, 'getSlot0')
const readManagedLiquidity = contractFunction(v4StateViewAbi, 'getLiquidity')
const readBalanceOf = contractFunction(erc20Abi, 'balanceOf')

/** The earlier times at which pools are read for means. */
export type PastTimes = {
  /** Older blocks at which v2 pairs are read, whose sums are enough. */
  readonly forSums: readonly bigint[]
  /** Older blocks at which v3 and v4 pools are read, whose prices at single blocks count. */
  readonly forMoments: readonly bigint[]
  /** Single seconds for which the own oracle of a v3 pool is asked, in seconds before the block; youngest first. */
  readonly oracleAges: readonly number[]
}

/**
 * Picks the earlier times, if blocks come as often as the row of the chain says; their real times are known once they are read. For
 * sums: half an hour and ten minutes ago, and the oldest block whose state a full node keeps, where that may be old enough. For single
 * blocks: one of each fifth of 24 minutes, as far back as a full node keeps blocks of twelve seconds. From an oracle: one second of each
 * twentieth of half an hour. For both kinds of pools three times in the day before.
 *
 * @param pickInt gives a random whole number below another. It moves times of sums later by up to `mostJitterSeconds`, and all others
 *   anywhere within their part, so that nobody knows beforehand which are read
 */
export function pastTimes(
  headNumber: bigint,
  { blockTimeSeconds, maxHeadAgeSeconds }: BlockPace,
  pickInt: (below: number) => number,
): PastTimes {
  const blocksIn = (seconds: number) => Math.ceil((seconds - pickInt(mostJitterSeconds + 1)) / blockTimeSeconds)
  const kept = Math.min(keptBlocks, blocksIn(meanSeconds))
  const isKeptLongEnough = maxHeadAgeSeconds === null || kept * blockTimeSeconds >= shortestMeanSeconds
  const sums = [blocksIn(meanSeconds), blocksIn(laterPartSeconds), ...(isKeptLongEnough ? [kept] : [])]
  const moments = Array.from({ length: momentParts }, (_, part) =>
    Math.ceil(((part + 1) * momentPart - pickInt(momentPart)) / blockTimeSeconds),
  )
  const dayAgo = dayParts.map((seconds) => Math.ceil((seconds - pickInt(dayPartSeconds + 1)) / blockTimeSeconds))
  const existing = (offsets: readonly number[]) => {
    const numbers = offsets.filter((offset) => offset > 0).map((offset) => headNumber - BigInt(offset))
    return [...new Set(numbers)].filter((number) => number > 0n)
  }
  return {
    forSums: existing([...sums, ...dayAgo]),
    forMoments: existing([...moments, ...dayAgo]),
    oracleAges: Array.from({ length: oracleMoments }, (_, part) => part * oraclePart + 1 + pickInt(oraclePart - 1)),
  }
}

/** How often blocks come; on demand where `maxHeadAgeSeconds` is `null`. */
type BlockPace = Pick<Chain, 'blockTimeSeconds' | 'maxHeadAgeSeconds'>

/** Seconds; the youngest block is then still older than a minute. */
const mostJitterSeconds = 240
/** An odd number, so that its quartiles leave one out on either side. */
const momentParts = 5
/** Seconds. */
const momentPart = 288
/**
 * Seconds ago. Single blocks of the three hours after each bound a jump; nobody can push them all without pushing for most of that
 * time. Less than a day, since blocks may come slower than the row says.
 */
const dayParts = [14, 18, 22].map((hours) => hours * 3_600)
const dayPartSeconds = 3 * 3_600
/** A full node keeps the state of the last 128 blocks; this leaves room for a head that moves on. */
const keptBlocks = 120
/** Enough to make it expensive to push the price in most of them; the answer is still only some kilobytes. */
const oracleMoments = 20
/** Seconds. */
const oraclePart = meanSeconds / oracleMoments

/** What an aggregator answers now. One that knows `latestAnswer` alone answers no round, and is no source. */
export function feedQuery(row: UsdFeed): Query<FeedReading> {
  const reads = [readDecimals(row.address, []), readLatestRound(row.address, [])] as const
  return query(reads, ([decimals, latest]) => {
    if (latest === null) return { row, decimals, round: null }
    const [, answer, , updatedAt] = latest
    return { row, decimals, round: { answer, updatedAt } }
  })
}

/** What the uptime feed of a sequencer answers now. */
export function sequencerQuery(row: SequencerReading['row']): Query<SequencerReading> {
  return query([readLatestRound(row.address, [])], ([latest]) => {
    if (latest === null) return { row, round: null }
    const [, answer, startedAt] = latest
    return { row, round: { answer, startedAt } }
  })
}

/** Chainlink's AggregatorV3Interface. */
const aggregatorAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])
const readDecimals = contractFunction(aggregatorAbi, 'decimals')
const readLatestRound = contractFunction(aggregatorAbi, 'latestRoundData')
