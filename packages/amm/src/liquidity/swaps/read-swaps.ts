import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from '@svc/lp-math'
import type { Pool, ReadLimits, SwapHistory, SwapRecord } from '../../ports.ts'
import { inTurns } from '@svc/runtime'
import { untrue } from './ordered-logs.ts'
import { swapFit } from './swap-fit.ts'
import type { Chain } from '@svc/wallet/core'
import { ToolError } from '../../tool-error.ts'
import { scanLogs } from '../logs/scan-logs.ts'
import type { ReadPorts } from '../read-ports.ts'
import { blockAt, type ReadBlock } from './block-at.ts'
import type { BlockTimes } from './block-times.ts'
import { dateLogs } from './date-logs.ts'
import { swapLogReader, type CreationLog, type SwapLog } from './swap-logs.ts'

/**
 * The swaps of a pool since a time (unix seconds), oldest first, up to the head or the first block at or after
 * another. When the budget of requests or of records is spent first, the oldest are missing, and `completeFrom` says since when none is.
 *
 * @throws ToolError `RPC_*`, also for logs that no pool can have written (see `orderedLogs` and `requireSound`); what `onRequest` throws
 */
export async function readSwaps(
  ports: ReadPorts,
  blockTimes: BlockTimes,
  chain: Chain,
  pool: Pool,
  fromTimestamp: number,
  toTimestamp?: number,
  limits: ReadLimits = {},
): Promise<SwapHistory> {
  const { head, readBlock, blockAtTime } = await blockReads(ports, blockTimes, chain, limits)
  const [start, end] = await Promise.all([
    blockAtTime(fromTimestamp),
    toTimestamp === undefined ? head : blockAtTime(toTimestamp),
  ])
  const readLogs = swapLogReader(ports.rpc.client(chain), chain, pool, limits.signal)
  const { logs, scannedFrom } = await scanLogs({
    read: async (fromBlock, toBlock) => {
      limits.onRequest?.()
      return await readLogs(fromBlock, toBlock)
    },
    newest: end.number < head.number ? end.number : head.number,
    oldest: start.number,
    spanBlocks: chain.logRangeBlocks,
    widestBlocks: widest * chain.logRangeBlocks,
    maxRequests: mostRequests,
    ...(limits.signal && { signal: limits.signal }),
    // Nothing comes before a pool's creation.
    isEnough: (logs) => logs.length > mostRecords || logs.some(isCreation),
  })
  const dated = await dateLogs(readBlock, logs, start.seen)
  const swaps = dated.filter((log) => !isCreation(log))
  const created = dated.find(isCreation) ?? null
  if (created !== null) requirePrice(created)
  await requireSound(pool, swaps, head.timestamp)
  const complete = scannedFrom <= start.number || created !== null
  const completeFrom = complete ? fromTimestamp : (await readBlock(scannedFrom)).timestamp
  return { swaps, created, completeFrom, complete }
}

/** The head, the times of blocks while the caller waits for them, and the block of a time, for which few of them are read. */
async function blockReads({ rpc }: ReadPorts, blockTimes: BlockTimes, chain: Chain, { signal, onRequest }: ReadLimits) {
  const newest = await rpc.head(chain)
  const head = { number: newest.number, timestamp: Number(newest.timestamp) }
  const readBlock: ReadBlock = async (blockNumber) => {
    if (signal?.aborted === true) throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
    onRequest?.()
    const { number, timestamp } = await rpc.client(chain).getBlock({ blockNumber })
    return { number, timestamp: Number(timestamp) }
  }
  const blockAtTime = async (time: number) => {
    const found = await blockAt(readBlock, head, time, chain.blockTimeSeconds, blockTimes.known(chain.id, head))
    blockTimes.learn(chain.id, head, found.seen)
    return found
  }
  return { head, readBlock, blockAtTime }
}

function isCreation<Log extends SwapLog | CreationLog>(log: Log): log is Exclude<Log, SwapLog> {
  return !('amount0' in log)
}

function requirePrice({ sqrtPriceX96 }: CreationLog): void {
  if (sqrtPriceX96 >= MIN_SQRT_PRICE && sqrtPriceX96 < MAX_SQRT_PRICE) return
  throw untrue('a pool created at a price out of bounds')
}

/**
 * Log requests for one history. Of a chain with blocks of 2 s and ranges of 2,000 they reach 59 days back where the endpoint takes
 * wider and wider ones, and 2.9 days where it takes none wider.
 */
const mostRequests = 64
const widest = 64
const mostRecords = 100_000

/**
 * Refuses swaps (in the order of the chain) that no pool can have logged: prices out of all bounds, times that run backwards or ahead of
 * the head (Unix seconds), amounts that no price between two logs pays.
 * @throws ToolError `RPC_UNAVAILABLE`
 */
export async function requireSound(pool: Pool, swaps: readonly SwapRecord[], headTimestamp: number): Promise<void> {
  await inTurns(soundness(pool, swaps, headTimestamp))
}

function* soundness(pool: Pool, swaps: readonly SwapRecord[], headTimestamp: number): Generator<void, void> {
  let last: SwapRecord | null = null
  for (const swap of swaps) {
    const { sqrtPriceX96, tick, liquidity, fee, timestamp } = swap
    if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE || tick < MIN_TICK || tick > MAX_TICK) {
      throw untrue('a swap to a price out of bounds')
    }
    if (liquidity < 0n || fee < 0 || fee > 1_000_000) throw untrue('a swap at a fee or liquidity out of bounds')
    if (timestamp > headTimestamp || timestamp < (last?.timestamp ?? 0)) throw untrue('swaps whose times do not rise')
    if (last !== null && swapFit(pool, last, swap) === 'absurd') throw untrue('a swap whose amounts no price pays')
    last = swap
    yield
  }
}
