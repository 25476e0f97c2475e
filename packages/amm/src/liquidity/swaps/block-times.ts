import type { BlockTime } from './block-at.ts'

/** Times of blocks that were read before, so that a search for a time starts close to it. */
export type BlockTimes = {
  /** Blocks of a chain below its head, oldest first. */
  known(chainId: number, head: BlockTime): readonly BlockTime[]
  /** Takes in blocks, oldest first; those that a reorganisation might still replace are left out. */
  learn(chainId: number, head: BlockTime, blocks: readonly BlockTime[]): void
}

/** Remembers at most a few hundred blocks of each chain; beyond that every second one is forgotten. */
export function createBlockTimes(): BlockTimes {
  const chains = new Map<number, readonly BlockTime[]>()
  return {
    known: (chainId, head) => (chains.get(chainId) ?? []).filter(({ number }) => number < head.number),
    learn(chainId, head, blocks) {
      const settled = blocks.filter(({ timestamp }) => head.timestamp - timestamp > settledSeconds)
      const all = new Map([...(chains.get(chainId) ?? []), ...settled].map((block) => [block.number, block]))
      const sorted = [...all.values()].toSorted((a, b) => Number(a.number - b.number))
      chains.set(chainId, sorted.length > mostKnown ? sorted.filter((_, index) => index % 2 === 0) : sorted)
    },
  }
}

/** Deeper than any reorganisation of the chains we know. */
const settledSeconds = 3_600
const mostKnown = 512
