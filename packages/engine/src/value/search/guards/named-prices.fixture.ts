import type { FeedReading } from '../../../../../amm/src/prices/band/feed-witness.ts'
import { createNamedPrices, type NamedReading } from '../../../../../amm/src/prices/band/price-band.ts'
import type { PriceRange } from '@svc/amm/prices'
import { type PastTimes, pastTimes, recalledIn } from '../../../../../amm/src/prices/source-queries.ts'
import { laterPartSeconds, meanSeconds } from '../../../../../amm/src/prices/band/pool-mean.ts'
import type {
  PoolReading,
  PoolSample,
  PoolSnapshot,
  PoolSums,
} from '../../../../../amm/src/prices/band/pool-reading.ts'
import {
  bandOfSighting,
  poolOfSighting,
  poolSubject,
  sightingOfBand,
  sightingOfPool,
  tokenSubject,
} from '../../../../../amm/src/prices/create-chain-prices.ts'
import { heldBy } from '../world/held-by.fixture.ts'
import type { PoolReading as ReadPool } from '../world/pool-past.fixture.ts'
import type { TokenPlan } from '../world/scenario.fixture.ts'
import { dailyLimitUsd } from './operator-policy.fixture.ts'
import { keyOf } from './sim-chain.fixture.ts'
import type { SimPool } from '../world/sim-pool.fixture.ts'
import type { SimPrice, SimPrices } from './sim-prices.fixture.ts'
import type { WorldView } from '../world/world-view.fixture.ts'

/** The server's own prices over the named sources of the simulated chain. What it sees it remembers. */
export const namedPrices: SimPrices = (view, tokens) => {
  const named = view.tokens.filter(
    ({ token, feed, namedPools }) => token.usdPegged || feed !== null || namedPools.length > 0,
  )
  const readings = new Map(named.map((row) => [keyOf(row.token), readingOf(view, row)]))
  const { timestamp: atSeconds } = view.head
  const verdictOf = createNamedPrices({ atSeconds, sequencer: null, pushBudgetUsd, tokens: readings })
  const prices = new Map(
    tokens.map((token): readonly [typeof token, SimPrice] => {
      const key = keyOf(token)
      if (!readings.has(key)) return [token, { band: null, doubt: 'unnamed' }]
      const { band, doubt, isSettled } = verdictOf(key)
      if (band !== null && isSettled) view.keep([sightingOfBand(key, band, atSeconds)])
      return [token, { band, doubt }]
    }),
  )
  for (const { pools } of readings.values()) {
    for (const { row, now } of pools) if (now !== null) view.keep([sightingOfPool(row.id, now)])
  }
  return prices
}

/** What the server presumes that somebody spends on a push in fees: a day's budget at prices of the moment. */
export const pushBudgetUsd = dailyLimitUsd / 10

function readingOf(view: WorldView, row: TokenPlan): NamedReading {
  const seen = view.recall([tokenSubject(keyOf(row.token))]).flatMap((sighting) => bandOfSighting(sighting) ?? [])
  const pools = row.namedPools.flatMap((name) => view.pools.get(name) ?? []).map((pool) => poolOf(view, row, pool))
  return { usdPegged: row.token.usdPegged, feed: feedOf(view, row), expected: expectedOf(row.usd), pools, seen }
}

/** What the operator wrote of a token before the program began: half to double of what it was worth then. */
export function expectedOf(usd: number): PriceRange {
  const e12 = BigInt(Math.round(usd * 1e6)) * 10n ** 12n
  return { lowE18: e12 / 2n, highE18: e12 * 2n }
}

function feedOf(view: WorldView, { token, feed: plan }: TokenPlan): FeedReading | null {
  const feed = view.feed(token)
  if (feed === null || plan === null) return null
  const { heartbeatSeconds, deviationBps } = plan
  return {
    row: { address: token.address, heartbeatSeconds, deviationBps, decimals: 8 },
    decimals: 8,
    round: { answer: feed.answer, updatedAt: BigInt(feed.updatedAt) },
  }
}

function poolOf(view: WorldView, { token }: TokenPlan, pool: SimPool): PoolReading {
  const tokenIs0 = pool.token0 === token
  const quote = tokenIs0 ? pool.token1 : pool.token0
  const { id, version, fee } = pool
  const held = heldBy(pool)
  const amounts = tokenIs0 ? { token: held.amount0, quote: held.amount1 } : { token: held.amount1, quote: held.amount0 }
  const now = snapshotAt(view, pool, view.head.block)
  const times = timesOf(view)
  return {
    row: { version, id, fee },
    quoteKey: keyOf(quote),
    side: { tokenIs0, tokenDecimals: token.decimals, quoteDecimals: quote.decimals },
    fault: null,
    now,
    held: version === 'v4' ? null : amounts,
    observed: observedOf(view, pool, [meanSeconds, laterPartSeconds]),
    recalled: recalledIn(
      observedOf(
        view,
        pool,
        times.oracleAges.flatMap((age) => [age + 1, age]),
      ),
    ),
    older: olderOf(view, pool, times),
    seen: view
      .recall([poolSubject(id)])
      .filter(({ atSeconds }) => atSeconds < view.head.timestamp)
      .flatMap((sighting) => poolOfSighting(sighting) ?? []),
  }
}

function olderOf(view: WorldView, pool: SimPool, { forSums, forMoments }: PastTimes): readonly PoolSnapshot[] {
  const numbers = pool.version === 'v2' ? forSums : forMoments
  return numbers.flatMap((number) => snapshotAt(view, pool, Number(number)) ?? [])
}

/** Picks by the block, so that what is simulated again sees the same. */
function timesOf(view: WorldView): PastTimes {
  const { block } = view.head
  return pastTimes(BigInt(block), { blockTimeSeconds: view.blockSeconds, maxHeadAgeSeconds: null }, pickAt(block))
}

/** One draw for all of a block. */
export function pickAt(block: number): (below: number) => number {
  const drawn = (block * 48_271 + 11) % 2_147_483_647
  return (below) => drawn % below
}

/** v3's oracle answers all ages or none. */
function observedOf(view: WorldView, pool: SimPool, ages: readonly number[]): readonly PoolSample[] {
  const samples = ages.map((age): PoolSample | null => {
    const said = view.observe(pool, age)
    if (said === null) return null
    const { tickCumulative: tick, secondsPerLiquidityCumulativeX128: perLiquidityX128 } = said
    return { atSeconds: view.head.timestamp - age, sums: { kind: 'ticks', tick, perLiquidityX128 } }
  })
  return samples.includes(null) ? [] : samples.filter((sample) => sample !== null)
}

function snapshotAt(view: WorldView, pool: SimPool, block: number): PoolSnapshot | null {
  const read = view.readAt(pool, block)
  if (read === null || read.sqrtPriceX96 === 0n) return null
  const { timestamp: atSeconds, sqrtPriceX96, liquidity } = read
  return { atSeconds, sqrtPriceX96, liquidity, sums: sumsOf(pool, read) }
}

function sumsOf({ version }: SimPool, read: ReadPool): PoolSums | null {
  if (version === 'v4') return null
  if (version === 'v3') {
    return { kind: 'ticks', tick: read.tickCumulative, perLiquidityX128: read.secondsPerLiquidityCumulativeX128 }
  }
  const since = BigInt(read.timestamp - read.updatedAt)
  const grown = (sum: bigint, one: bigint, other: bigint) => BigInt.asUintN(256, sum + ((one << 112n) / other) * since)
  return {
    kind: 'prices',
    price0X112: grown(read.price0Cumulative, read.reserve1, read.reserve0),
    price1X112: grown(read.price1Cumulative, read.reserve0, read.reserve1),
  }
}
