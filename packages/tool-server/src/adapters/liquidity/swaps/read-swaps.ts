import type { Chain } from '@svc/wallet/core'
import type { Pool, SwapHistory, SwapRecord } from '../../../ports.ts'
import { inPortions } from '../../in-portions.ts'
import { scanLogs } from '../logs/scan-logs.ts'
import type { ReadPorts } from '../read-ports.ts'
import { blockAt, type ReadBlock } from './block-at.ts'
import type { BlockTimes } from './block-times.ts'
import { dateLogs } from './date-logs.ts'
import { requireSound } from './require-sound.ts'
import { swapLogReader } from './swap-logs.ts'

/**
 * The swaps of a pool since a time (unix seconds), oldest first, up to the head or the first block at or after another. When the budget of requests or of records is spent first, the
 * oldest are missing, and `completeFrom` says since when none is.
 *
 * @throws ToolError `RPC_*`, also for logs that no pool can have written (see `orderedLogs` and `requireSound`)
 */
export async function readSwaps(
  ports: ReadPorts,
  blockTimes: BlockTimes,
  chain: Chain,
  pool: Pool,
  fromTimestamp: number,
  toTimestamp?: number,
  signal?: AbortSignal,
): Promise<SwapHistory> {
  const client = ports.rpc.client(chain)
  const newest = await ports.rpc.head(chain)
  const head = { number: newest.number, timestamp: Number(newest.timestamp) }
  const readBlock: ReadBlock = async (blockNumber) => {
    const { number, timestamp } = await client.getBlock({ blockNumber })
    return { number, timestamp: Number(timestamp) }
  }
  const blockAtTime = async (time: number) => {
    const found = await blockAt(readBlock, head, time, chain.blockTimeSeconds, blockTimes.known(chain.id, head))
    blockTimes.learn(chain.id, head, found.seen)
    return found
  }
  const [start, end] = await Promise.all([
    blockAtTime(fromTimestamp),
    toTimestamp === undefined ? head : blockAtTime(toTimestamp),
  ])
  const { logs, scannedFrom } = await scanLogs({
    read: swapLogReader(client, chain, pool),
    newest: end.number < head.number ? end.number : head.number,
    oldest: start.number,
    spanBlocks: chain.logRangeBlocks,
    widestBlocks: widest * chain.logRangeBlocks,
    maxRequests: mostRequests,
    ...(signal && { signal }),
    isEnough: (logs) => logs.length > mostRecords,
  })
  const swaps = await dateLogs(readBlock, logs, start.seen)
  let before: readonly SwapRecord[] = []
  for await (const portion of inPortions(swaps, 1_000)) {
    requireSound(pool, [...before, ...portion], head.timestamp)
    before = portion.slice(-1)
  }
  if (scannedFrom <= start.number) return { swaps, completeFrom: fromTimestamp, complete: true }
  const { timestamp } = await readBlock(scannedFrom)
  return { swaps, completeFrom: timestamp, complete: false }
}

/**
 * Log requests for one history. Of a chain with blocks of 2 s and ranges of 2,000 they reach 59 days back where the endpoint takes
 * wider and wider ones, and 2.9 days where it takes none wider.
 */
const mostRequests = 64
const widest = 64
const mostRecords = 100_000
