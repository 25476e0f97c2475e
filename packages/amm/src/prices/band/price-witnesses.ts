import type { PriceWitness } from '../../ports.ts'
import type { FeedReading, FeedWitness } from './feed-witness.ts'
import type { PoolWitness, SpeakingPool } from './pool-witness.ts'
import { e18, overlaps, type PriceRange } from './price-range.ts'
import type { WeighedPools } from './weigh-pools.ts'

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
