import type { Chain } from '@svc/wallet/core'
import { laterPartSeconds, meanSeconds, shortestMeanSeconds } from './band/pool-mean.ts'

/** The times before a block at which pools are looked at for means. */
export type PastTimes = {
  /** Older blocks that are read of pools whose sums are enough. */
  readonly forSums: readonly bigint[]
  /** Of all others, whose prices at single blocks count. */
  readonly forMoments: readonly bigint[]
  /** Seconds ago, single ones, which a v3 pool's own oracle is asked for; youngest first. */
  readonly oracleAges: readonly number[]
}

/**
 * Blocks of about a day, half an hour, twenty, ten and five minutes ago, if blocks come as the chain's row says, and the oldest that a
 * full node has the state of where that may be old enough; how old they really are, only reading them tells. Of an oracle one second
 * of each twentieth of half an hour.
 *
 * @param pickInt a whole number below another: each block lies later by up to `mostJitterSeconds`, and each second anywhere in
 *   its part, so that nobody knows beforehand which are read
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
  const dayAgo = blocksIn(jumpSeconds)
  const existing = (offsets: readonly number[]) => {
    const numbers = offsets.filter((offset) => offset > 0).map((offset) => headNumber - BigInt(offset))
    return [...new Set(numbers)].filter((number) => number > 0n)
  }
  return {
    forSums: existing([...sums, dayAgo]),
    forMoments: existing([...sums, ...moments, dayAgo]),
    oracleAges: Array.from({ length: oracleMoments }, (_, part) => part * oraclePart + 1 + pickInt(oraclePart - 1)),
  }
}

/** How blocks come; on demand where no age of the head is too old. */
type BlockPace = Pick<Chain, 'blockTimeSeconds' | 'maxHeadAgeSeconds'>

/** Seconds; the youngest block is then still older than a minute. */
const mostJitterSeconds = 240
/** Seconds ago, beside those of the sums: with them and the head they make two halves of three. */
const momentSeconds = [1_200, 300]
/** What stood then bounds how far a price can have jumped; blocks may come a little slower than the row says. */
const jumpSeconds = 23 * 3_600
/** Of whose state a full node has the last 128, with some room for a head that moves on. */
const keptBlocks = 120
/** As many as make it dear to stand in most of them, and an answer of some kilobytes. */
const oracleMoments = 20
/** Seconds. */
const oraclePart = meanSeconds / oracleMoments
