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

/** Blocks that hold a span of time: the first is earlier, or the first of all, the last later, or the head. */
export type BlockSpan = { readonly first: bigint; readonly last: bigint }

/**
 * Where a span of time lies if blocks come evenly, with some to spare on either side; whether it does, the times of its first and last block
 * tell (`holds`). No end means the head.
 *
 * @param marks blocks whose times are known, oldest first, the head last
 * @param blockTimeSeconds usual time between blocks, before the first mark
 */
export function likelySpan(
  marks: readonly BlockTime[],
  { from, to = Infinity }: TimeSpan,
  blockTimeSeconds: number,
): BlockSpan {
  const [first, last] = [from, to].map((time) => placeOf(marks, time, blockTimeSeconds))
  return { first: first?.least ?? 0n, last: last?.most ?? 0n }
}

/** The narrowest span between marks that holds a span of time. */
export function knownSpan(marks: readonly BlockTime[], { from, to = Infinity }: TimeSpan): BlockSpan {
  const before = marks.findLast(({ timestamp }) => timestamp < from)
  const after = marks.find(({ timestamp }) => timestamp > to) ?? marks.at(-1)
  return { first: before?.number ?? 0n, last: after?.number ?? 0n }
}

/** Whether the marks, among them the ends of the span, show that it holds a span of time. */
export function holds({ first, last }: BlockSpan, marks: readonly BlockTime[], time: TimeSpan): boolean {
  const known = knownSpan(marks, time)
  return first <= known.first && last >= known.last
}

/** Some of the blocks between two marks that lie around a time, where nothing is known of the time between them. */
export function guessesAround(marks: readonly BlockTime[], timestamp: number, blockTimeSeconds: number): bigint[] {
  const high = marks.find((block) => block.timestamp >= timestamp)
  const low = marks.findLast((block) => block.timestamp < timestamp) ?? null
  return high === undefined || low !== null ? [] : guesses(low, high, timestamp, blockTimeSeconds)
}

/** Unix seconds; without an end up to the head. */
export type TimeSpan = { readonly from: number; readonly to?: number | undefined }

/** Between which blocks one of a time is likely to lie: a fiftieth of the way from where the time is known, and two blocks. */
function placeOf(marks: readonly BlockTime[], time: number, blockTimeSeconds: number) {
  const above = marks.find(({ timestamp }) => timestamp > time) ?? marks.at(-1) ?? { number: 0n, timestamp: 0 }
  const below = marks.findLast(({ timestamp }) => timestamp < time) ?? null
  if (above.timestamp <= time) return { least: above.number, most: above.number }
  const blocks = Number(above.number - (below?.number ?? 0n))
  const pace = below === null ? Math.max(blockTimeSeconds, 0.001) : (above.timestamp - below.timestamp) / blocks
  const back = Math.min(blocks, (above.timestamp - time) / pace)
  const spare = 2 + (below === null ? back : Math.min(back, blocks - back)) / 50
  const at = (blocksBack: number) => above.number - BigInt(Math.round(Math.min(blocks, Math.max(0, blocksBack))))
  return { least: at(Math.ceil(back + spare)), most: at(Math.floor(back - spare)) }
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
