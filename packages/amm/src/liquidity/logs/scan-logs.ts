import type { Chain } from '@svc/wallet/core'
import type { LogSpans, RpcPool, MarketPorts, ReadLimits } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { numberToHex } from 'viem'
import { blockAt } from '../swaps/block-at.ts'

/**
 * Reads logs backwards from the newest block, chunk by chunk, several chunks in one request, until the oldest block, until
 * `isEnough`, or until the budget of requests is spent. A chunk that the endpoint refuses is read again in halves. Where wider chunks
 * are allowed, one of twice the width is tried alone after every round that went well, unless it would hold too many logs for one
 * answer, which is parsed in one turn; none any more once one was refused. A scan that has a name begins as the last of that name ended at this
 * endpoint.
 *
 * @returns what was found, oldest first, and the block from which on nothing is missing.
 * @throws ToolError `CANCELLED`, `RPC_*`; a refusal only once a chunk is a single block.
 */
export async function scanLogs<Entry>(options: LogScan<Entry>): Promise<{ logs: Entry[]; scannedFrom: bigint }> {
  const { newest, oldest, isEnough, learnt } = options
  const usual = BigInt(options.spanBlocks)
  const most = BigInt(options.widestBlocks ?? options.spanBlocks)
  const { blocks, isWidest } = learnt?.spans?.of(learnt.name, usual) ?? { blocks: usual, isWidest: false }
  let span = blocks < most ? blocks : most
  let widest = isWidest ? span : most
  let wasSlow = false
  let mayWiden = false
  let densest = 0
  let budget = options.maxRequests
  const parts: (readonly Entry[])[] = []
  const found = () => parts.toReversed().flat()
  let scannedFrom = newest + 1n
  while (scannedFrom > oldest && budget > 0 && !isEnough(found())) {
    if (options.signal?.aborted === true)
      throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
    const isTrial: boolean = mayWiden && span * 2n <= widest && densest * 2 <= mostLogs
    densest = 0
    const width = isTrial ? span * 2n : span
    const chunks = chunksBelow(scannedFrom, oldest, width, isTrial ? 1 : Math.min(budget, chunksAtOnce))
    budget -= chunks.length
    const outcomes = await Promise.allSettled(chunks.map(([from, to]) => options.read(from, to)))
    mayWiden = !isTrial
    if (isTrial && outcomes[0]?.status === 'fulfilled') span = width
    for (const [index, outcome] of outcomes.entries()) {
      const [from, to] = chunks[index] ?? [0n, 0n]
      if (outcome.status === 'rejected') {
        if (!isRefusal(outcome.reason) || from === to) throw outcome.reason
        wasSlow ||= outcome.reason.code === 'RPC_TIMEOUT'
        if (!isTrial) span = (to - from + 1n) / 2n
        widest = span
        break
      }
      parts.push(outcome.value)
      densest = Math.max(densest, outcome.value.length)
      scannedFrom = from
    }
  }
  // A moment without an answer in time says little of the next.
  if (!wasSlow) learnt?.spans?.keep(learnt.name, { blocks: span, isWidest: widest < most && widest === span }, usual)
  return { logs: found(), scannedFrom }
}

export type LogScan<Entry> = {
  /** The logs of a range of blocks, both ends included, oldest first. */
  readonly read: (from: bigint, to: bigint) => Promise<readonly Entry[]>
  readonly newest: bigint
  readonly oldest: bigint
  readonly spanBlocks: number
  /** How wide a range may get where the endpoint takes it; `spanBlocks` unless given. */
  readonly widestBlocks?: number
  readonly maxRequests: number
  /** What is scanned for, and what is known of the endpoint. */
  readonly learnt?: { readonly name: string; readonly spans: LogSpans | null }
  /** Looked at before each round of requests. */
  readonly signal?: AbortSignal
  readonly isEnough: (logs: readonly Entry[]) => boolean
}

/**
 * Reads logs of a narrow filter: first over the whole range at once, which many endpoints answer when little matches, and
 * otherwise backwards in chunks. An endpoint that refused so wide a range to a scan of this name is asked for chunks at once.
 *
 * @throws ToolError `RPC_*`
 */
export async function scanRareLogs<Entry>(
  options: LogScan<Entry> & Required<Pick<LogScan<Entry>, 'learnt'>>,
): Promise<{ logs: Entry[]; scannedFrom: bigint }> {
  const { oldest, newest, learnt } = options
  const blocks = newest - oldest + 1n
  if (learnt.spans?.isRefused(learnt.name, blocks) === true) return scanLogs(options)
  try {
    return { logs: [...(await options.read(oldest, newest))], scannedFrom: oldest }
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (error.code === 'RPC_REFUSED') learnt.spans?.refuse(learnt.name, blocks)
    return scanLogs(options)
  }
}

/** What is known of the endpoint that is asked next, by what is scanned for. */
export function learntOf(
  rpc: Pick<RpcPool, 'nextEndpoint'>,
  chain: Chain,
  name: string,
): NonNullable<LogScan<unknown>['learnt']> {
  return { name, spans: rpc.nextEndpoint?.(chain)?.logSpans ?? null }
}

export const chunksAtOnce = 8
/** Of a chunk that was made wider: some 4 MB, a few hundredths of a second to parse. */
const mostLogs = 5_000

function chunksBelow(end: bigint, oldest: bigint, span: bigint, count: number): [from: bigint, to: bigint][] {
  const chunks: [bigint, bigint][] = []
  for (let to = end - 1n; to >= oldest && chunks.length < count; to -= span) {
    const from = to - span + 1n
    chunks.push([from > oldest ? from : oldest, to])
  }
  return chunks
}

/** Of a request that an endpoint may answer for fewer blocks. */
export function isRefusal(error: unknown): error is ToolError {
  return error instanceof ToolError && (error.code === 'RPC_REFUSED' || error.code === 'RPC_TIMEOUT')
}

/**
 * Whether an endpoint tells any log at all of the last blocks before a time (Unix seconds), so that one that tells none of a pool after
 * it means a quiet pool, not logs thrown away. False also where so few blocks had none. Throws ToolError `RPC_*`,
 * what `onRequest` throws, and once aborted.
 */
export async function hasLogsBefore(
  rpc: Pick<MarketPorts['rpc'], 'client' | 'head'>,
  chain: Chain,
  timestamp: number,
  { signal, onRequest }: ReadLimits,
): Promise<boolean> {
  const client = rpc.client(chain)
  const head = await rpc.head(chain)
  const readBlock = async (blockNumber: bigint) => {
    signal?.throwIfAborted()
    onRequest?.()
    const block = await client.getBlock({ blockNumber })
    return { number: block.number, timestamp: Number(block.timestamp) }
  }
  const newest = { number: head.number, timestamp: Number(head.timestamp) }
  const { number } = await blockAt(readBlock, newest, timestamp, chain.blockTimeSeconds)
  for (const blocks of [1n, 16n]) {
    signal?.throwIfAborted()
    onRequest?.()
    const [fromBlock, toBlock] = [number > blocks ? number - blocks : 0n, number > 0n ? number - 1n : 0n]
    const range = { fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
    const logs: unknown = await client.request({ method: 'eth_getLogs', params: [range] }, { signal })
    if (Array.isArray(logs) && logs.length > 0) return true
  }
  return false
}

/**
 * How the swap logs of one history are scanned for. On a chain with blocks of 2 s and ranges of 2,000 the requests reach 59 days back where
 * the endpoint takes wider and wider ones, and 2.9 days where it takes none wider.
 */
export function swapScan({
  logRangeBlocks,
}: Pick<Chain, 'logRangeBlocks'>): Pick<LogScan<never>, 'spanBlocks' | 'widestBlocks' | 'maxRequests'> {
  return { spanBlocks: logRangeBlocks, widestBlocks: 64 * logRangeBlocks, maxRequests: 64 }
}

/** How many blocks such a scan reads of a pool that trades little, at an endpoint that takes ranges up to a width and where that is known. */
export async function swapScanBlocks(chain: Pick<Chain, 'logRangeBlocks'>, width: number): Promise<bigint> {
  const newest = BigInt(Number.MAX_SAFE_INTEGER)
  const scan = swapScan(chain)
  const { scannedFrom } = await scanLogs<never>({
    ...scan,
    spanBlocks: Math.min(width, scan.spanBlocks),
    read: async (from, to) => {
      if (to - from >= BigInt(width)) throw new ToolError('RPC_REFUSED', 'Too wide.')
      return []
    },
    newest,
    oldest: 0n,
    isEnough: () => false,
  })
  return newest - scannedFrom + 1n
}
