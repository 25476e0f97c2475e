import { getSqrtPriceAtTick, MAX_TICK } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type BlockReads, knownQuery } from '../rpc/query.ts'
import { fixedPriceOfSqrt } from './band/price-range.ts'
import type { PoolPlace } from './named-tokens.ts'
import { type PastTimes, poolQuery, readPastOfPool } from './source-queries.ts'
import { overAllPrices, poolDepth, type PoolReading } from './band/pool-reading.ts'
import { poolMean, shortestMeanSeconds } from './band/pool-mean.ts'

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
