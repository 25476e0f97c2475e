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
