import type { Chain } from '@svc/wallet/core'
import { laterPartSeconds, meanSeconds, shortestMeanSeconds } from './band/pool-mean.ts'

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
