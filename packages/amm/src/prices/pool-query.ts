import { integerSqrt, MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import { erc20Abi } from '../abis/tokens.ts'
import { v2PairAbi } from '../abis/v2.ts'
import { v3PoolAbi } from '../abis/v3.ts'
import { v4StateViewAbi } from '../abis/v4.ts'
import { contractFunction } from '../rpc/contract-function.ts'
import { joinQueries, knownQuery, mapQuery, query, type Query } from '../rpc/query.ts'
import type { PastQuery } from '../rpc/read-one.ts'
import type { PoolPlace } from './named-tokens.ts'
import { laterPartSeconds, meanSeconds } from './band/pool-mean.ts'
import type { PastTimes } from './past-times.ts'
import type { PoolReading, PoolSample, PoolSnapshot } from './band/pool-reading.ts'
import type { BlockReads } from '../rpc/create-block-reads.ts'
import { unknownVersion } from '../unknown-version.ts'

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
