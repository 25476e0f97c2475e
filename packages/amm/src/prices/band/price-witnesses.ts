import type { PriceWitness } from '../../ports.ts'
import type { FeedReading, FeedWitness } from './feed-witness.ts'
import type { PoolWitness, SpeakingPool } from './pool-witness.ts'
import { e18, hullOf, overlaps, type PriceRange } from './price-range.ts'

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
