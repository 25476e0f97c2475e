/** A block and its time in unix seconds. */
export type BlockTime = { readonly number: bigint; readonly timestamp: number }

export type ReadBlock = (number: bigint) => Promise<BlockTime>

/**
 * The first block at or after a time (the one after the head when there is none yet), and the blocks looked at on the way, oldest first. Sixteen blocks are read at once, so that
 * thirty million blocks take seven rounds whatever their rhythm.
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
  const before = known.findLast((block) => block.timestamp < timestamp)
  const after = known.find((block) => block.timestamp >= timestamp)
  const guessed = BigInt(Math.ceil((2 * (head.timestamp - timestamp)) / Math.max(blockTimeSeconds, 0.1))) + 1n
  let low = before?.number ?? (head.number > guessed ? head.number - guessed : 0n)
  let high = after?.number ?? head.number
  if (low >= high) low = 0n
  let isLowEarly = before !== undefined
  while (!isLowEarly || high - low > 1n) {
    const inner = spread(low, high)
    for (const block of await Promise.all(inner.map(readBlock))) seen.set(block.number, block)
    const late = inner.find((number) => (seen.get(number)?.timestamp ?? 0) >= timestamp)
    const early = inner.findLast((number) => (seen.get(number)?.timestamp ?? 0) < timestamp)
    if (late === low && low > 0n) {
      // The guess was too late a start: look at everything before it.
      high = low
      low = 0n
      continue
    }
    if (late !== undefined) high = late
    if (early === undefined || high - early <= 1n) break
    low = early
    isLowEarly = true
  }
  return { number: high, seen: [...seen.values()].toSorted((a, b) => Number(a.number - b.number)) }
}

const readAtOnce = 16n

/** Up to sixteen blocks from `low` on, evenly spread below `high`. */
function spread(low: bigint, high: bigint): bigint[] {
  const count = high - low < readAtOnce ? high - low : readAtOnce
  return Array.from({ length: Number(count) }, (_, index) => low + ((high - low) * BigInt(index)) / count)
}
