import {
  type Amounts,
  feeGrowthFromSwapsInSteps,
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  LpMathError,
  unpackProtocolFee,
} from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { BaseError, getAbiItem, zeroAddress, type Hash } from 'viem'
import type {
  Liquidity,
  Position,
  PositionChanges,
  PositionEvent,
  PositionEvents,
  PositionUnderway,
  SwapRecord,
  ReadPorts,
} from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { inTurns } from '@svc/runtime'
import { v4PoolManagerAbi, v4PositionManagerAbi } from '../../abis/v4.ts'
import { learntOf, scanLogs, scanRareLogs } from '../logs/scan-logs.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { dateLogs } from '../swaps/block-at.ts'
import { readPriceAtLog } from './read-modification.ts'

/**
 * The deposits and withdrawals of a v4 position. Its logs tell liquidity alone: the amounts follow from it at the price that the last
 * swap before left, the fees from the path of the price (see `feeGrowthFromSwaps`), so they are good to a few units. Within a
 * block changes and swaps follow each other as their logs do. Every change pays out the fees that waited: they are its collection.
 *
 * @throws ToolError `RPC_*`
 */
export async function readV4PositionEvents(
  ports: ReadPorts & Pick<Liquidity, 'swaps'>,
  chain: Chain,
  underway: PositionUnderway,
  alongside?: (changes: PositionChanges) => void,
): Promise<PositionEvents> {
  const openedIn = await mintBlock(ports, chain, underway)
  if (openedIn === null) return unknown
  const position = await underway.reading
  const [read, { swaps, complete, created }] = await Promise.all([
    changesSince(ports, chain, position, openedIn.number),
    ports.swaps(chain, position.pool, openedIn.timestamp - beforeSeconds),
  ])
  const [first] = read.changes
  if (first === undefined || !read.complete) return { ...unknown, openedAt: null }
  alongside?.({ openedAt: first.timestamp, events: read.changes })
  const start = swaps.findLast((swap) => isBefore(swap, first))
  const opening = (start ?? created)?.sqrtPriceX96 ?? (await priceBefore(ports, chain, position, first))
  if (!complete || opening === null) return unknown
  return follow(position, read.changes, swaps, opening)
}

type Change = {
  readonly blockNumber: bigint
  readonly logIndex: number
  readonly timestamp: number
  readonly transactionHash: Hash
  readonly liquidityDelta: bigint
}

const unknown: PositionEvents = { events: [], openedAt: null, earned: null }
/** How much earlier than the position to look for the swap that set its first price. */
const beforeSeconds = 6 * 3_600

async function mintBlock(ports: ReadPorts, chain: Chain, { positionId, blockNumber: newest }: PositionUnderway) {
  const client = ports.rpc.client(chain)
  const { positionManager: address } = requireDeployment(chain, 'v4')
  const event = getAbiItem({ abi: v4PositionManagerAbi, name: 'Transfer' })
  const args = { from: zeroAddress, id: BigInt(positionId) }
  const { logs } = await scanRareLogs({
    read: (fromBlock, toBlock) => client.getLogs({ address, event, args, fromBlock, toBlock, strict: true }),
    newest,
    oldest: 0n,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 40,
    learnt: learntOf(ports.rpc, chain, 'mint of v4'),
    isEnough: (found) => found.length > 0,
  })
  const [mint] = logs
  if (mint === undefined) return null
  // Not every node tells the time with a log.
  const timestamp = mint.blockTimestamp ?? (await client.getBlock({ blockNumber: mint.blockNumber })).timestamp
  return { number: mint.blockNumber, timestamp: Number(timestamp) }
}

async function changesSince(ports: ReadPorts, chain: Chain, { positionId, pool }: Position, oldest: bigint) {
  const client = ports.rpc.client(chain)
  const { poolManager: address, positionManager: sender } = requireDeployment(chain, 'v4')
  const event = getAbiItem({ abi: v4PoolManagerAbi, name: 'ModifyLiquidity' })
  const args = { id: pool.id, sender }
  const { logs, scannedFrom } = await scanLogs({
    read: async (fromBlock, toBlock) => {
      const found = await client.getLogs({ address, event, args, fromBlock, toBlock, strict: true })
      return found.filter((log) => BigInt(log.args.salt) === BigInt(positionId))
    },
    newest: pool.blockNumber,
    oldest,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 64,
    learnt: learntOf(ports.rpc, chain, `liquidity of ${pool.id.toLowerCase()}`),
    isEnough: () => false,
  })
  const undated = logs.map(({ blockNumber, logIndex, transactionHash, args: { liquidityDelta } }) => {
    return { blockNumber, logIndex, transactionHash, liquidityDelta, timestamp: null }
  })
  const readBlock = async (blockNumber: bigint) => {
    const { number, timestamp } = await client.getBlock({ blockNumber })
    return { number, timestamp: Number(timestamp) }
  }
  const changes: readonly Change[] = await dateLogs(readBlock, undated, [])
  return { changes, complete: scannedFrom <= oldest }
}

/** What the chain still knows of the price that a change met, where no log of the hours before tells it. */
async function priceBefore(ports: ReadPorts, chain: Chain, { pool }: Position, change: Place): Promise<bigint | null> {
  try {
    return await readPriceAtLog(ports, chain, { pool, ...change })
  } catch (error) {
    if (error instanceof ToolError || error instanceof BaseError) return null
    throw error
  }
}

type Place = Pick<Change, 'blockNumber' | 'logIndex'>

function isBefore(one: Place, other: Place): boolean {
  return one.blockNumber === other.blockNumber ? one.logIndex < other.logIndex : one.blockNumber < other.blockNumber
}

/** From change to change: the fees of the swaps between them, and what each moves at the price it meets. */
async function follow(
  position: Position,
  changes: readonly Change[],
  swaps: readonly SwapRecord[],
  opening: bigint,
): Promise<PositionEvents> {
  const events: PositionEvent[] = []
  const earned = { fees0: 0n, fees1: 0n }
  let liquidity = 0n
  let price = opening
  for (const [index, change] of changes.entries()) {
    const { liquidityDelta, timestamp, transactionHash } = change
    const moved = amountsOf(position, liquidityDelta, price)
    if (liquidityDelta !== 0n) {
      const kind = liquidityDelta > 0n ? 'deposit' : 'withdrawal'
      events.push({ kind, ...moved, timestamp, transactionHash, sqrtPriceX96: price })
    }
    liquidity += liquidityDelta
    const next = changes[index + 1]
    const between = swaps.filter((swap) => isBefore(change, swap) && (next === undefined || isBefore(swap, next)))
    const fees = await feesOf(position, liquidity, price, between)
    if (fees === null) return { ...unknown, openedAt: null }
    earned.fees0 += fees.amount0
    earned.fees1 += fees.amount1
    price = between.at(-1)?.sqrtPriceX96 ?? price
    if (next !== undefined && (fees.amount0 > 0n || fees.amount1 > 0n)) {
      const { timestamp: at, transactionHash: hash } = next
      events.push({ kind: 'collection', ...fees, timestamp: at, transactionHash: hash, sqrtPriceX96: null })
    }
  }
  return { events, openedAt: changes[0]?.timestamp ?? null, earned }
}

/** A pool rounds against whoever changes it. */
function amountsOf({ tickLower, tickUpper }: Position, liquidityDelta: bigint, sqrtPriceX96: bigint): Amounts {
  const isDeposit = liquidityDelta > 0n
  return getAmountsForLiquidity(
    sqrtPriceX96,
    getSqrtPriceAtTick(tickLower),
    getSqrtPriceAtTick(tickUpper),
    isDeposit ? liquidityDelta : -liquidityDelta,
    isDeposit,
  )
}

/** Null where the logs do not fit together. */
async function feesOf(
  { pool, tickLower, tickUpper }: Position,
  liquidity: bigint,
  sqrtPriceX96: bigint,
  swaps: readonly SwapRecord[],
): Promise<Amounts | null> {
  try {
    const growth = feeGrowthFromSwapsInSteps({
      start: { sqrtPriceX96 },
      swaps: swaps.map((swap) => ({ ...swap, sqrtPriceX96After: swap.sqrtPriceX96, feePips: swap.fee })),
      feePips: pool.fee,
      protocolFee: unpackProtocolFee('v4', pool.protocolFee),
      tickLower,
      tickUpper,
    })
    const { growth0X128, growth1X128 } = await inTurns(growth)
    return { amount0: (growth0X128 * liquidity) >> 128n, amount1: (growth1X128 * liquidity) >> 128n }
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}
