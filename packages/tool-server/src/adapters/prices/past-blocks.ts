import { laterPartSeconds, meanSeconds, shortestMeanSeconds } from './band/pool-mean.ts'

/** The older blocks that are read for means. */
export type PastBlocks = {
  /** Of every named pool. */
  readonly forSums: readonly bigint[]
  /** Also of pools that sum nothing up, whose moments they are. */
  readonly forMoments: readonly bigint[]
}

/**
 * Blocks of about half an hour and ten minutes ago, if blocks come as the chain's row says, and the oldest that a full node
 * has the state of where that is old enough. How old they really are, only reading them tells.
 *
 * @param earlierSeconds all lie later by this, up to `mostJitterSeconds`, so that nobody knows beforehand which are read
 */
export function pastBlocks(headNumber: bigint, blockTimeSeconds: number, earlierSeconds: number): PastBlocks {
  const blocksIn = (seconds: number) => Math.ceil((seconds - earlierSeconds) / blockTimeSeconds)
  const kept = Math.min(keptBlocks, blocksIn(meanSeconds))
  const isKeptLongEnough = kept * blockTimeSeconds >= shortestMeanSeconds
  const sums = [blocksIn(meanSeconds), blocksIn(laterPartSeconds), ...(isKeptLongEnough ? [kept] : [])]
  const moments = momentSeconds.map(blocksIn)
  const existing = (offsets: readonly number[]) => {
    const numbers = offsets.filter((offset) => offset > 0).map((offset) => headNumber - BigInt(offset))
    return [...new Set(numbers)].filter((number) => number > 0n)
  }
  return { forSums: existing(sums), forMoments: existing([...sums, ...moments]) }
}

/** Seconds; the youngest moment is then still older than a minute. */
export const mostJitterSeconds = 240
/** Seconds ago, beside those of the sums: with them and the head they make two halves of three. */
const momentSeconds = [1_200, 300]
/** Of whose state a full node has the last 128, with some room for a head that moves on. */
const keptBlocks = 120
