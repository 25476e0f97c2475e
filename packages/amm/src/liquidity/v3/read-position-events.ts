import type { Chain } from '@svc/wallet/core'
import { type Address, BaseError, getAbiItem, getAddress, type Hash, type PublicClient, zeroAddress } from 'viem'
import { createRecent } from '../../create-recent.ts'
import { ToolError } from '../../tool-error.ts'
import { v3PoolAbi, v3PositionManagerAbi } from '../../abis/v3.ts'
import type {
  ReadPorts,
  Position,
  PositionChanges,
  PositionEvent,
  PositionEvents,
  PositionUnderway,
} from '../../ports.ts'
import { learntOf, scanRareLogs } from '../logs/scan-logs.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { dateLogs } from '../swaps/block-at.ts'

/**
 * The deposits, withdrawals and collections of a v3 position, out of the logs of its token. A withdrawal leaves its tokens owed until
 * they are collected, so the fees ever earned are what was collected and what is owed now, less what was withdrawn. The price at a log
 * that was there before, in the same block, is known.
 *
 * @throws ToolError `RPC_*`
 */
export async function readV3PositionEvents(
  ports: ReadPorts,
  chain: Chain,
  { positionId, blockNumber: newest, reading }: PositionUnderway,
  { alongside, memory }: EventsReading,
): Promise<PositionEvents> {
  const client = ports.rpc.client(chain)
  const before = memory.of(chain, positionId)
  if (before !== null) alongside?.(changesOf(before.entries))
  const { logs } = await scanRareLogs({
    read: (fromBlock, toBlock) => readEntries({ client, chain }, BigInt(positionId), { fromBlock, toBlock }),
    newest,
    oldest: 0n,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 40,
    learnt: learntOf(ports.rpc, chain, 'position of v3'),
    isEnough: (entries) => entries.some(({ kind }) => kind === 'mint'),
  })
  const dated = await dateLogs(
    async (blockNumber) => {
      const { number, timestamp } = await client.getBlock({ blockNumber })
      return { number, timestamp: Number(timestamp) }
    },
    logs,
    [],
  )
  alongside?.(changesOf(dated))
  const position = await reading
  const events = dated.filter(isEvent)
  const pool = getAddress(position.pool.id)
  const changes = events.filter(({ kind }) => kind !== 'collection').length
  const prices = await Promise.all(
    events.map(async (event) => {
      if (event.kind === 'collection' || changes > mostPrices) return null
      return before?.prices.get(placeOf(event)) ?? (await readV3PriceAtLog(ports, chain, { ...event, pool }))
    }),
  )
  if (changes <= mostPrices && dated.length <= mostKept) {
    const known = events.map((event, index) => [placeOf(event), prices[index] ?? null] as const)
    memory.keep(chain, positionId, { entries: dated, prices: new Map(known) })
  }
  const { openedAt } = changesOf(dated)
  return {
    events: events.map(({ kind, amount0, amount1, timestamp, transactionHash }, index) => {
      return { kind, amount0, amount1, timestamp, transactionHash, sqrtPriceX96: prices[index] ?? null }
    }),
    openedAt,
    earned: openedAt === null ? null : earnedBy(events, position),
  }
}

/** What is begun beside the reading, and what is known of the last one. */
export type EventsReading = {
  readonly alongside: ((changes: PositionChanges) => void) | undefined
  readonly memory: EventMemory
}

/** The logs of v3 positions as they were read last, with the prices at them: what is likely, and what a block that is the same says again. */
export type EventMemory = {
  of(chain: Chain, positionId: string): KnownEvents | null
  keep(chain: Chain, positionId: string, known: KnownEvents): void
}

type KnownEvents = {
  readonly entries: readonly DatedEntry[]
  /** By the place of the log in its block, which its hash names. */
  readonly prices: ReadonlyMap<string, bigint | null>
}

/** Remembers the last 500 positions, none of them with more than eighty logs. */
export function createEventMemory(): EventMemory {
  const recent = createRecent<KnownEvents>(500)
  return {
    of: (chain, positionId) => recent.of(`${chain.id} ${positionId}`),
    keep: (chain, positionId, known) => recent.keep(`${chain.id} ${positionId}`, known),
  }
}

/** What the position manager wrote of a token in some blocks, in their order. */
async function readEntries(
  { client, chain }: { readonly client: PublicClient; readonly chain: Chain },
  tokenId: bigint,
  blocks: { readonly fromBlock: bigint; readonly toBlock: bigint },
): Promise<readonly Entry[]> {
  const { positionManager: address } = requireDeployment(chain, 'v3')
  const range = { address, ...blocks, strict: true, args: { tokenId } } as const
  const [mints, deposits, withdrawals, collections] = await Promise.all([
    client.getLogs({
      ...range,
      event: getAbiItem({ abi: v3PositionManagerAbi, name: 'Transfer' }),
      args: { from: zeroAddress, tokenId },
    }),
    client.getLogs({ ...range, event: getAbiItem({ abi: v3PositionManagerAbi, name: 'IncreaseLiquidity' }) }),
    client.getLogs({ ...range, event: getAbiItem({ abi: v3PositionManagerAbi, name: 'DecreaseLiquidity' }) }),
    client.getLogs({ ...range, event: getAbiItem({ abi: v3PositionManagerAbi, name: 'Collect' }) }),
  ])
  return [
    ...mints.map((log) => entryOf(log, 'mint', nothing)),
    ...deposits.map((log) => entryOf(log, 'deposit', log.args)),
    ...withdrawals.map((log) => entryOf(log, 'withdrawal', log.args)),
    ...collections.map((log) => entryOf(log, 'collection', log.args)),
  ].toSorted((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
}

/** Collected and owed now, less what was withdrawn. */
function earnedBy(
  events: readonly Pick<PositionEvent, 'kind' | 'amount0' | 'amount1'>[],
  { fees0, fees1 }: Pick<Position, 'fees0' | 'fees1'>,
): PositionEvents['earned'] {
  const sum = (kind: PositionEvent['kind'], side: 'amount0' | 'amount1') =>
    events.reduce((total, event) => total + (event.kind === kind ? event[side] : 0n), 0n)
  return {
    fees0: sum('collection', 'amount0') + fees0 - sum('withdrawal', 'amount0'),
    fees1: sum('collection', 'amount1') + fees1 - sum('withdrawal', 'amount1'),
  }
}

function changesOf(entries: readonly DatedEntry[]): PositionChanges {
  return {
    openedAt: entries.find(({ kind }) => kind === 'mint')?.timestamp ?? null,
    events: entries.filter(isEvent),
  }
}

function placeOf({ blockHash, logIndex }: Entry): string {
  return `${blockHash} ${logIndex}`
}

/** Each takes up to three requests. */
const mostPrices = 40

/** Of any kind: collections ask for no price, and whoever holds a position may make as many of them as they like. */
const mostKept = 80

type DatedEntry = Entry & { readonly timestamp: number }

type Entry = Omit<PositionEvent, 'kind' | 'timestamp' | 'sqrtPriceX96'> & {
  readonly kind: PositionEvent['kind'] | 'mint'
  readonly timestamp: number | null
  readonly blockNumber: bigint
  readonly blockHash: Hash
  readonly logIndex: number
}

const nothing = { amount0: 0n, amount1: 0n }

function entryOf(
  log: Pick<Entry, 'blockNumber' | 'blockHash' | 'logIndex' | 'transactionHash'> & {
    readonly blockTimestamp?: bigint | undefined
  },
  kind: Entry['kind'],
  { amount0, amount1 }: { readonly amount0: bigint; readonly amount1: bigint },
): Entry {
  const { blockNumber, blockHash, logIndex, transactionHash, blockTimestamp } = log
  const timestamp = blockTimestamp === undefined ? null : Number(blockTimestamp)
  return { kind, amount0, amount1, blockNumber, blockHash, logIndex, transactionHash, timestamp }
}

function isEvent<Dated extends { readonly kind: Entry['kind'] }>(
  entry: Dated,
): entry is Dated & { readonly kind: PositionEvent['kind'] } {
  return entry.kind !== 'mint'
}

/**
 * The sqrt price (Q64.96) of a v3 pool at the moment a log was written: that of the last swap, or of its creation, before the log in
 * the same block, else that at the end of the block before; `null` where no endpoint knows it any more.
 */
async function readV3PriceAtLog(
  ports: Pick<ReadPorts, 'rpc'>,
  chain: Chain,
  moment: { readonly pool: Address; readonly blockNumber: bigint; readonly logIndex: number },
): Promise<bigint | null> {
  const { pool: address, blockNumber } = moment
  const client = ports.rpc.client(chain)
  const inBlock = { address, fromBlock: blockNumber, toBlock: blockNumber, strict: true } as const
  try {
    const before = { address, abi: v3PoolAbi, functionName: 'slot0', blockNumber: blockNumber - 1n } as const
    const [swaps, creations, [state]] = await Promise.all([
      client.getLogs({ ...inBlock, event: getAbiItem({ abi: v3PoolAbi, name: 'Swap' }) }),
      client.getLogs({ ...inBlock, event: getAbiItem({ abi: v3PoolAbi, name: 'Initialize' }) }),
      // Not every endpoint has it, and a log of the block itself says more.
      Promise.allSettled([client.readContract(before)]),
    ])
    const last = [...creations, ...swaps].findLast(({ logIndex }) => logIndex < moment.logIndex)
    if (last !== undefined) return last.args.sqrtPriceX96
    if (state.status === 'rejected') throw state.reason
    return state.value[0]
  } catch (error) {
    if (error instanceof ToolError || error instanceof BaseError) return null
    throw error
  }
}
