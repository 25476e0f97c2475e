import type { Chain } from '@svc/wallet/core'
import { type Address, BaseError, getAbiItem, getAddress, zeroAddress } from 'viem'
import { ToolError } from '../../tool-error.ts'
import { v3PoolAbi, v3PositionManagerAbi } from '../../abis/v3.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import type { Position, PositionEvent, PositionEvents } from '../../ports.ts'
import { scanRareLogs } from '../logs/scan-logs.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { dateLogs } from '../swaps/block-at.ts'

/**
 * The deposits, withdrawals and collections of a v3 position, out of the logs of its token. A withdrawal leaves its tokens owed until
 * they are collected, so the fees ever earned are what was collected and what is owed now, less what was withdrawn.
 *
 * @throws ToolError `RPC_*`
 */
export async function readV3PositionEvents(
  ports: ReadPorts,
  chain: Chain,
  position: Position,
): Promise<PositionEvents> {
  const client = ports.rpc.client(chain)
  const { positionManager: address } = requireDeployment(chain, 'v3')
  const tokenId = BigInt(position.positionId)
  const read = async (fromBlock: bigint, toBlock: bigint): Promise<readonly Entry[]> => {
    const range = { address, fromBlock, toBlock, strict: true, args: { tokenId } } as const
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
  const { logs } = await scanRareLogs({
    read,
    newest: position.pool.blockNumber,
    oldest: 0n,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 40,
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
  const opened = dated.find(({ kind }) => kind === 'mint')
  const events = dated.filter(isEvent)
  const sum = (kind: PositionEvent['kind'], side: 'amount0' | 'amount1') =>
    events.reduce((total, event) => total + (event.kind === kind ? event[side] : 0n), 0n)
  const pool = getAddress(position.pool.id)
  const changes = events.filter(({ kind }) => kind !== 'collection').length
  const priceAt = async ({ kind, blockNumber, logIndex }: (typeof events)[number]) =>
    kind === 'collection' || changes > mostPrices
      ? null
      : await readV3PriceAtLog(ports, chain, { pool, blockNumber, logIndex })
  return {
    events: await Promise.all(
      events.map(async (event) => {
        const { kind, amount0, amount1, timestamp, transactionHash } = event
        return { kind, amount0, amount1, timestamp, transactionHash, sqrtPriceX96: await priceAt(event) }
      }),
    ),
    openedAt: opened?.timestamp ?? null,
    earned:
      opened === undefined
        ? null
        : {
            fees0: sum('collection', 'amount0') + position.fees0 - sum('withdrawal', 'amount0'),
            fees1: sum('collection', 'amount1') + position.fees1 - sum('withdrawal', 'amount1'),
          },
  }
}

/** Each takes up to three requests. */
const mostPrices = 40

type Entry = Omit<PositionEvent, 'kind' | 'timestamp' | 'sqrtPriceX96'> & {
  readonly kind: PositionEvent['kind'] | 'mint'
  readonly timestamp: number | null
  readonly blockNumber: bigint
  readonly logIndex: number
}

const nothing = { amount0: 0n, amount1: 0n }

function entryOf(
  log: Pick<Entry, 'blockNumber' | 'logIndex' | 'transactionHash'> & { readonly blockTimestamp?: bigint | undefined },
  kind: Entry['kind'],
  { amount0, amount1 }: { readonly amount0: bigint; readonly amount1: bigint },
): Entry {
  const { blockNumber, logIndex, transactionHash, blockTimestamp } = log
  const timestamp = blockTimestamp === undefined ? null : Number(blockTimestamp)
  return { kind, amount0, amount1, blockNumber, logIndex, transactionHash, timestamp }
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
    const [swaps, creations] = await Promise.all([
      client.getLogs({ ...inBlock, event: getAbiItem({ abi: v3PoolAbi, name: 'Swap' }) }),
      client.getLogs({ ...inBlock, event: getAbiItem({ abi: v3PoolAbi, name: 'Initialize' }) }),
    ])
    const last = [...creations, ...swaps].findLast(({ logIndex }) => logIndex < moment.logIndex)
    if (last !== undefined) return last.args.sqrtPriceX96
    const before = { address, abi: v3PoolAbi, functionName: 'slot0', blockNumber: blockNumber - 1n } as const
    const [sqrtPriceX96] = await client.readContract(before)
    return sqrtPriceX96
  } catch (error) {
    if (error instanceof ToolError || error instanceof BaseError) return null
    throw error
  }
}
