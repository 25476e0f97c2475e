/** A block and its time in unix seconds. */
export type BlockTime = { readonly number: bigint; readonly timestamp: number }
export type ReadBlock = (number: bigint) => Promise<BlockTime>

/**
 * The first block at or after a time (the one after the head when there is none yet), and the blocks looked at on the way, oldest first.
 * Up to fourteen blocks are read at once, most of them close around where an even rhythm would have it: a search among millions takes
 * some three rounds where the rhythm is nearly even, and a dozen whatever it is.
 *
 * @param blockTimeSeconds usual time between blocks, from which the search starts
 * @param known blocks below the head whose times are known already, oldest first; the search starts between them
 */
export async function blockAt(
  readBlock: ReadBlock,
  head: BlockTime,
  timestamp: number,
  blockTimeSeconds: number,
  known: readonly BlockTime[] = [],
): Promise<{ number: bigint; seen: readonly BlockTime[] }> {
  if (head.timestamp < timestamp) return { number: head.number + 1n, seen: [head] }
  const seen = new Map<bigint, BlockTime>([...known, head].map((block) => [block.number, block]))
  let low = known.findLast((block) => block.timestamp < timestamp) ?? null
  let high = known.find((block) => block.timestamp >= timestamp) ?? head
  while (high.number - (low?.number ?? -1n) > 1n) {
    const numbers = guesses(low, high, timestamp, blockTimeSeconds)
    const times = await Promise.all(numbers.map(readBlock))
    for (const [index, number] of numbers.entries()) {
      const block = { number, timestamp: times[index]?.timestamp ?? 0 }
      seen.set(number, block)
      if (block.timestamp >= timestamp) high = number < high.number ? block : high
      else if (number > (low?.number ?? -1n)) low = block
    }
  }
  return { number: high.number, seen: [...seen.values()].toSorted((a, b) => Number(a.number - b.number)) }
}

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

/**
 * Gives each log its time. Nodes that do not tell it with the log are asked for the blocks: all of them when they are few, else a
 * sample, between which time is taken to run evenly.
 */
export async function dateLogs<Log extends { readonly blockNumber: bigint; readonly timestamp: number | null }>(
  readBlock: ReadBlock,
  logs: readonly Log[],
  known: readonly BlockTime[],
): Promise<(Log & { readonly timestamp: number })[]> {
  const undated = [...new Set(logs.filter(({ timestamp }) => timestamp === null).map(({ blockNumber }) => blockNumber))]
  const step = Math.ceil(undated.length / mostBlocks)
  const sample = undated.filter((_, index) => index % step === 0 || index === undated.length - 1)
  const blocks = [...known, ...(await Promise.all(sample.map(readBlock)))]
  const times = new Map(blocks.map(({ number, timestamp }) => [number, timestamp]))
  const marks = [...times].toSorted(([a], [b]) => Number(a - b))
  return logs.map((log) => Object.assign({}, log, { timestamp: log.timestamp ?? timeOf(log.blockNumber, marks) }))
}

/**
 * Blocks between two (from the first one on without the lower): all of a few, else those around where the time would be at an even
 * rhythm, ever farther from there, and three that quarter the rest, for a rhythm that is not even.
 */
function guesses(low: BlockTime | null, high: BlockTime, timestamp: number, blockTimeSeconds: number): bigint[] {
  const first = low === null ? 0n : low.number + 1n
  const count = Number(high.number - first)
  if (count <= mostAtOnce) return Array.from({ length: count }, (_, index) => first + BigInt(index))
  const pace = low === null ? Math.max(blockTimeSeconds, 0.1) : Math.max((high.timestamp - low.timestamp) / count, 1e-9)
  const back = Math.min(count, (high.timestamp - timestamp) / pace)
  const around = low === null ? back : count
  const distances = [0, 1, 8, around / 4_096, around / 256, around / 16].flatMap((each) => [each, -each])
  const backs = [...distances.map((each) => back + each), count / 4, count / 2, (3 * count) / 4]
  return [...new Set(backs.map((each) => high.number - BigInt(Math.min(count, Math.max(1, Math.round(each))))))]
}

const mostAtOnce = 14

/** Deeper than any reorganisation of the chains we know. */
const settledSeconds = 3_600
const mostKnown = 512

const mostBlocks = 150

/** The time of a block between two marks, by even flow; at a mark, its own. */
function timeOf(block: bigint, marks: readonly (readonly [bigint, number])[]): number {
  const after = marks.findIndex(([number]) => number >= block)
  const [laterBlock, laterTime] = marks[after] ?? marks.at(-1) ?? [block, 0]
  const [earlierBlock, earlierTime] = marks[after - 1] ?? [laterBlock, laterTime]
  if (laterBlock <= block || laterBlock === earlierBlock) return laterTime
  const share = Number(block - earlierBlock) / Number(laterBlock - earlierBlock)
  return Math.round(earlierTime + share * (laterTime - earlierTime))
}
