import type { BlockTime, ReadBlock } from './block-at.ts'

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
