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
 * Picks blocks of half an hour, twenty, ten and five minutes ago and of three times in the day before, if blocks come as often as the
 * row of the chain says, and the oldest block whose state a full node keeps, where that may be old enough. Their real times are known once they are
 * read. From an oracle it picks one second of each twentieth of half an hour.
 *
 * @param pickInt gives a random whole number below another. It moves each block later by up to `mostJitterSeconds`, those of the day
 *   before by up to `dayPartSeconds`, and each second anywhere within its twentieth, so that nobody knows beforehand which are read
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
  const moments = momentSeconds.map(blocksIn)
  const dayAgo = dayParts.map((seconds) => Math.ceil((seconds - pickInt(dayPartSeconds + 1)) / blockTimeSeconds))
  const existing = (offsets: readonly number[]) => {
    const numbers = offsets.filter((offset) => offset > 0).map((offset) => headNumber - BigInt(offset))
    return [...new Set(numbers)].filter((number) => number > 0n)
  }
  return {
    forSums: existing([...sums, ...dayAgo]),
    forMoments: existing([...sums, ...moments, ...dayAgo]),
    oracleAges: Array.from({ length: oracleMoments }, (_, part) => part * oraclePart + 1 + pickInt(oraclePart - 1)),
  }
}

/** How often blocks come; on demand where `maxHeadAgeSeconds` is `null`. */
type BlockPace = Pick<Chain, 'blockTimeSeconds' | 'maxHeadAgeSeconds'>

/** Seconds; the youngest block is then still older than a minute. */
const mostJitterSeconds = 240
/** Seconds ago. Together with the times of the sums and the head they make two overlapping halves of three. */
const momentSeconds = [1_200, 300]
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
