import type { SpeakingPool } from './pool-witness.ts'
import { hullOf, type PriceRange } from './price-range.ts'

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
