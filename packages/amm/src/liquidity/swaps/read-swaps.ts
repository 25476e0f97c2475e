import { getTickAtSqrtPrice, integerSqrt, MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from '@svc/lp-math'
import { inTurns } from '@svc/runtime'
import type { Chain } from '@svc/wallet/core'
import { getAbiItem, type Hash, type PublicClient, toEventSelector } from 'viem'
import type { Pool, ReadLimits, SwapHistory, SwapRecord, Version, ReadPorts } from '../../ports.ts'
import { orderedLogs, untrue, readEventLogs } from '../logs/read-event-logs.ts'
import { swapFit } from './swap-fit.ts'
import { swapScan, chunksAtOnce, learntOf, scanLogs } from '../logs/scan-logs.ts'
import { ToolError } from '../../tool-error.ts'
import {
  blockAt,
  type BlockSpan,
  type BlockTime,
  type BlockTimes,
  dateLogs,
  guessesAround,
  holds,
  knownSpan,
  likelySpan,
  type ReadBlock,
  type TimeSpan,
} from './block-at.ts'
import { v2PairAbi } from '../../abis/v2.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import { requireDeployment } from '../planning/refusals.ts'

/**
 * The swaps of a pool since a time (unix seconds), oldest first, up to the head or those of the first block at or after
 * another, if that was read. When the budget of requests or of records is spent first, the oldest are missing, and `completeFrom` says since when none is.
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
  const { head, readBlock, marksOf, exactSpan } = await blockReads(ports, blockTimes, chain, limits)
  const readLogs = swapLogReader(ports.rpc.client(chain), chain, pool, limits.signal)
  const scan = (span: BlockSpan, isOff = () => false) =>
    scanLogs({
      read: async (fromBlock, toBlock) => {
        limits.onRequest?.()
        return await readLogs(fromBlock, toBlock)
      },
      newest: span.last,
      oldest: span.first,
      ...swapScan(chain),
      learnt: learntOf(ports.rpc, chain, pool.id.toLowerCase()),
      ...(limits.signal && { signal: limits.signal }),
      // Nothing comes before a pool's creation.
      isEnough: (logs) => isOff() || logs.length > mostRecords || logs.some(isCreation),
    })
  const period = { from: fromTimestamp, to: toTimestamp }
  const likely = spanOf([...blockTimes.known(chain.id, head), head], period, chain)
  // The logs are asked for with the blocks that show whether they are the right ones.
  let isOff = false
  const early = settled(scan(likely, () => isOff))
  const marks = await marksOf(likely, period)
  isOff = !holds(likely, marks, period)
  const span = isOff ? await exactSpan(marks, period) : { ...likely, first: knownSpan(marks, period).first }
  const { logs, scannedFrom } = await (isOff ? scan(span) : unsettled(await early))
  const dated = await dateLogs(readBlock, logs, marks)
  const creation = dated.find(isCreation) ?? null
  if (creation !== null) requirePrice(creation)
  const found: readonly SwapRecord[] = dated.filter((log) => !isCreation(log))
  await requireSound(pool, found, head.timestamp)
  blockTimes.learn(chain.id, head, timesOf(logs))
  // One that comes later, where it was read, shows that no log is missing up to it.
  const next = found.find(({ timestamp }) => timestamp >= (toTimestamp ?? Infinity))
  const isInPeriod = ({ timestamp, blockNumber }: { readonly timestamp: number; readonly blockNumber: bigint }) =>
    timestamp >= fromTimestamp && (next === undefined || blockNumber <= next.blockNumber)
  const isWhole = scannedFrom <= span.first || creation !== null
  const since = isWhole ? fromTimestamp : (await readBlock(scannedFrom)).timestamp
  return {
    swaps: found.filter(isInPeriod),
    created: creation !== null && isInPeriod(creation) ? creation : null,
    completeFrom: Math.max(fromTimestamp, since),
    complete: isWhole || since < fromTimestamp,
  }
}

/** What is known to hold the time, where one request for logs takes all of it, else what is likely to. */
function spanOf(marks: readonly BlockTime[], period: TimeSpan, chain: Chain): BlockSpan {
  const known = knownSpan(marks, period)
  if (known.last - known.first < BigInt(chain.logRangeBlocks)) return known
  return likelySpan(marks, period, chain.blockTimeSeconds)
}

/** Of some of the logs, where the node gave their times: between them the next search begins. */
function timesOf(logs: readonly (SwapLog | CreationLog)[]): readonly BlockTime[] {
  const step = Math.ceil(logs.length / mostTimes)
  return logs.flatMap(({ blockNumber: number, timestamp }, index) =>
    timestamp === null || index % step > 0 ? [] : [{ number, timestamp }],
  )
}

const mostTimes = 32

/** Of work that may turn out to have been for nothing, whose failure then is nobody's. */
async function settled<Result>(work: Promise<Result>): Promise<PromiseSettledResult<Result>> {
  const [outcome] = await Promise.allSettled([work])
  return outcome
}

function unsettled<Result>(outcome: PromiseSettledResult<Result>): Result {
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** The head, the times of blocks while the caller waits for them, and the blocks of a span of time, for which few of them are read. */
async function blockReads({ rpc }: ReadPorts, blockTimes: BlockTimes, chain: Chain, limits: ReadLimits) {
  const { signal, onRequest } = limits
  const newest = limits.head ?? (await rpc.head(chain))
  const head = { number: newest.number, timestamp: Number(newest.timestamp) }
  const pace = chain.blockTimeSeconds
  const readBlock: ReadBlock = async (blockNumber) => {
    if (signal?.aborted === true) throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
    onRequest?.()
    const { number, timestamp } = await rpc.client(chain).getBlock({ blockNumber })
    return { number, timestamp: Number(timestamp) }
  }
  /** What is known of the times of blocks, oldest first, with the ends of a span and what lies around it. */
  const marksOf = async ({ first, last }: BlockSpan, { from, to }: TimeSpan): Promise<readonly BlockTime[]> => {
    const known = [...blockTimes.known(chain.id, head), head]
    const isKnown = holds({ first, last }, known, { from, to })
    const times = isKnown ? [] : [from, ...(to === undefined ? [] : [to])]
    const around = times.flatMap((time) => guessesAround(known, time, pace))
    const ends = isKnown ? [] : [first, last]
    const unknown = [...new Set([...ends, ...around])].filter((block) => known.every(({ number }) => number !== block))
    const read = await Promise.all(unknown.map(readBlock))
    blockTimes.learn(chain.id, head, read)
    return [...known, ...read].toSorted((a, b) => Number(a.number - b.number))
  }
  /** Between marks where that is not much to read, else to the block. */
  const exactSpan = async (marks: readonly BlockTime[], { from, to = Infinity }: TimeSpan): Promise<BlockSpan> => {
    const span = knownSpan(marks, { from, to })
    if (span.last - span.first <= BigInt(chunksAtOnce * chain.logRangeBlocks)) return span
    const [start, end] = await Promise.all(
      [from, to].map(async (time) => {
        const { number, seen } = await blockAt(readBlock, head, time, pace, marks)
        blockTimes.learn(chain.id, head, seen)
        return number < head.number ? number : head.number
      }),
    )
    return { first: start ?? span.first, last: end ?? span.last }
  }
  return { head, readBlock, marksOf, exactSpan }
}

function isCreation<Log extends SwapLog | CreationLog>(log: Log): log is Exclude<Log, SwapLog> {
  return !('amount0' in log)
}

function requirePrice({ sqrtPriceX96 }: CreationLog): void {
  if (sqrtPriceX96 >= MIN_SQRT_PRICE && sqrtPriceX96 < MAX_SQRT_PRICE) return
  throw untrue('a pool created at a price out of bounds')
}

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

/** A swap as its log tells it: without a time where the node gives none with its logs. */
type SwapLog = Omit<SwapRecord, 'timestamp'> & { readonly timestamp: number | null }

/** The log that gave a pool its first price. */
type CreationLog = Omit<SwapLog, 'amount0' | 'amount1' | 'liquidity' | 'fee'>

/**
 * Reads the swaps of a pool in a range of blocks, and but for pairs its creation, oldest first, amounts signed as the pool sees them.
 */
type SwapLogReader = (from: bigint, to: bigint) => Promise<readonly (SwapLog | CreationLog)[]>

/** The reader for the version of a pool. The client's reads throw ToolError `RPC_*`, and `CANCELLED` once aborted. */
function swapLogReader(client: PublicClient, chain: Chain, pool: Pool, signal?: AbortSignal): SwapLogReader {
  return readers[pool.version](client, chain, pool, signal)
}

const readers: { readonly [Key in Version]: (...terms: Parameters<typeof swapLogReader>) => SwapLogReader } = {
  v2: (client, _chain, pool, signal) => async (fromBlock, toBlock) => {
    const events = [getAbiItem({ abi: v2PairAbi, name: 'Swap' }), getAbiItem({ abi: v2PairAbi, name: 'Sync' })] as const
    const topics = [events.map(toEventSelector)]
    const reported = await readEventLogs(client, { address: pool.id, events, topics, fromBlock, toBlock, signal })
    const logs = orderedLogs(reported, { address: pool.id, fromBlock, toBlock })
    const swaps: SwapLog[] = []
    let reserves = { reserve0: 0n, reserve1: 0n }
    for (const log of logs) {
      // A pair logs its new reserves right before the swap that led to them.
      if (log.eventName === 'Sync') reserves = log.args
      else if (reserves.reserve0 > 0n && reserves.reserve1 > 0n) swaps.push(v2Swap(log, log.args, reserves, pool.fee))
      else throw untrue('a swap of a pair without its reserves')
    }
    return swaps
  },
  v3: (client, _chain, pool, signal) => async (fromBlock, toBlock) => {
    const of = { abi: v3PoolAbi } as const
    const events = [getAbiItem({ ...of, name: 'Swap' }), getAbiItem({ ...of, name: 'Initialize' })] as const
    const topics = [events.map(toEventSelector)]
    const logs = await readEventLogs(client, { address: pool.id, events, topics, fromBlock, toBlock, signal })
    return orderedLogs(logs, { address: pool.id, fromBlock, toBlock }).map((log) => {
      if (log.eventName === 'Initialize') return placed(log, log.args)
      const { amount0, amount1, sqrtPriceX96, liquidity, tick } = log.args
      return placed(log, { amount0, amount1, sqrtPriceX96, liquidity, tick, fee: pool.fee })
    })
  },
  v4: (client, chain, pool, signal) => async (fromBlock, toBlock) => {
    const of = { abi: v4PoolManagerAbi } as const
    const events = [getAbiItem({ ...of, name: 'Swap' }), getAbiItem({ ...of, name: 'Initialize' })] as const
    const address = requireDeployment(chain, 'v4').poolManager
    const topics = [events.map(toEventSelector), pool.id]
    const logs = await readEventLogs(client, { address, events, topics, fromBlock, toBlock, signal })
    return orderedLogs(logs, { address, fromBlock, toBlock }).map((log) => {
      if (log.args.id.toLowerCase() !== pool.id.toLowerCase()) throw untrue('a log of another pool')
      if (log.eventName === 'Initialize') {
        const { sqrtPriceX96, tick } = log.args
        return placed(log, { sqrtPriceX96, tick })
      }
      const { amount0, amount1, sqrtPriceX96, liquidity, tick, fee } = log.args
      // v4 logs what the swapper's balance gained; the pool's gained the opposite.
      return placed(log, { amount0: -amount0, amount1: -amount1, sqrtPriceX96, liquidity, tick, fee })
    })
  },
}

type Place = {
  readonly blockNumber: bigint
  readonly logIndex: number
  readonly blockTimestamp?: bigint | null | undefined
  readonly transactionHash: Hash
}

function placed<Facts>({ blockNumber, logIndex, blockTimestamp, transactionHash }: Place, facts: Facts) {
  const timestamp = typeof blockTimestamp === 'bigint' ? Number(blockTimestamp) : null
  return { blockNumber, logIndex, transactionHash, timestamp, ...facts }
}

function v2Swap(
  log: Place,
  amounts: { amount0In: bigint; amount0Out: bigint; amount1In: bigint; amount1Out: bigint },
  { reserve0, reserve1 }: { reserve0: bigint; reserve1: bigint },
  fee: number,
): SwapLog {
  const sqrtPriceX96 = integerSqrt((reserve1 << 192n) / reserve0)
  return placed(log, {
    amount0: amounts.amount0In - amounts.amount0Out,
    amount1: amounts.amount1In - amounts.amount1Out,
    sqrtPriceX96,
    tick: getTickAtSqrtPrice(sqrtPriceX96),
    liquidity: integerSqrt(reserve0 * reserve1),
    fee,
  })
}
