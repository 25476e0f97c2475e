import type { Chain } from '@svc/wallet/core'
import {
  type Address,
  BaseError,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  keccak256,
  pad,
  toEventSelector,
} from 'viem'
import { twammHookAbi, twammOrderAbi } from '../abis/twamm.ts'
import { readEventLogs } from '../liquidity/logs/read-event-logs.ts'
import { learntOf, scanRareLogs } from '../liquidity/logs/scan-logs.ts'
import { poolKeyOf } from '../liquidity/v4/pool-key.ts'
import { readPriceAtLog } from '../liquidity/v4/read-modification.ts'
import type { Liquidity, RpcPool, Token, TwammOrder, TwammPool } from '../ports.ts'
import { contractFunction, contractRead } from '../rpc/contract-function.ts'
import { readSurely } from '../rpc/query.ts'
import { ToolError } from '../tool-error.ts'
import type { OrderKey, OrderMemory } from './order-memory.ts'

/**
 * The newest order under an id. That it was placed, and what has become of it since, logs tell; what it has earned by now the hook
 * itself says, as if its owner settled it at the newest block, which brings all orders of the pool up to that block first. Of an order that
 * is remembered the hook is asked beside the logs.
 *
 * @throws ToolError `ORDER_NOT_FOUND`, `RPC_*`
 */
export async function readOrder(
  ports: TwammPorts,
  chain: Chain,
  pool: TwammPool,
  orderId: Hex,
  { owner, memory }: { readonly owner?: Address; readonly memory?: OrderMemory } = {},
): Promise<TwammOrder> {
  const head = await ports.rpc.head(chain)
  const known = memory?.of(chain, orderId) ?? null
  const stateOf = (key: OrderKey) => readOrderState(ports, chain, pool, key, head.number)
  const early = known && stateOf(known.key)
  // Where there is no such order that is what the caller hears of.
  early?.catch(() => undefined)
  const [placed, ...later] = await logsOfOrder(ports, chain, pool, { orderId, owner, newest: head.number })
  if (placed === undefined) throw orderNotFound(chain, orderId, owner)
  const { owner: holder, expiration, zeroForOne } = placed.args
  const key = { owner: holder, expiration, zeroForOne }
  const place = { pool: pool.pool.id, blockHash: placed.blockHash, logIndex: placed.logIndex }
  const [changes, { pending, ...state }, sqrtPriceX96AtStart] = await Promise.all([
    datedChanges(ports, chain, [placed, ...later]),
    early ?? stateOf(key),
    known !== null && isSame(known.placed, place)
      ? known.sqrtPriceX96AtStart
      : priceAtStart(ports, chain, pool, placed),
  ])
  memory?.keep(chain, orderId, { key, placed: place, sqrtPriceX96AtStart })
  const { stands, owedOut } = state
  const [readAt, expiresAt] = [Number(head.timestamp), Number(expiration)]
  return {
    ...orderProgress({ changes, stands, expiresAt, now: readAt, pending }),
    ...state,
    status: statusOf({ stands, expiresAt, readAt, owedOut: owedOut - pending }, changes),
    orderId,
    startedAt: changes[0]?.timestamp ?? 0,
    expiresAt,
    readAt,
    blockNumber: head.number,
    sqrtPriceX96AtStart,
  }
}

function isSame(one: Placed, other: Placed): boolean {
  return one.pool === other.pool && one.blockHash === other.blockHash && one.logIndex === other.logIndex
}

type Placed = { readonly pool: Hex; readonly blockHash: Hex; readonly logIndex: number }

/** What the hook says of the order under a key at a block, without its past. `pending` is the part of `owedOut` that settling it now would add. */
export async function readOrderState(
  ports: Pick<TwammPorts, 'rpc'>,
  chain: Chain,
  pool: TwammPool,
  key: OrderKey,
  blockNumber: bigint,
): Promise<OrderState> {
  const { owner, zeroForOne } = key
  const [token0, token1] = [pool.pool.token0, pool.pool.token1]
  const [tokenIn, tokenOut] = zeroForOne ? [token0, token1] : [token1, token0]
  const client = ports.rpc.client(chain)
  const owedOf = ({ address }: Token) =>
    readSurely(client, contractRead(pool.hook, twammHookAbi, 'tokensOwed', [address, owner]), blockNumber)
  const [{ sellRate }, owedIn, heldOut, [settlement]] = await Promise.all([
    readSurely(client, contractRead(pool.hook, twammHookAbi, 'getOrder', [poolKeyOf(pool.pool), key]), blockNumber),
    owedOf(tokenIn),
    owedOf(tokenOut),
    // Of an order that does not stand the hook settles nothing, and nobody needs to know what it says.
    Promise.allSettled([pendingOf(ports, chain, pool, key, blockNumber)]),
  ])
  const stands = sellRate > 0n
  if (stands && settlement.status === 'rejected') throw settlement.reason
  const pending = stands && settlement.status === 'fulfilled' ? settlement.value : 0n
  return { owner, zeroForOne, tokenIn, tokenOut, sellRate, stands, owedIn, owedOut: heldOut + pending, pending }
}

export type OrderState = Pick<
  TwammOrder,
  'owner' | 'zeroForOne' | 'tokenIn' | 'tokenOut' | 'sellRate' | 'stands' | 'owedIn' | 'owedOut'
> & { readonly pending: bigint }

/** keccak256 of the key's ABI encoding: unique within a pool, as long as the order stands. */
export function orderIdOf({ owner, expiration, zeroForOne }: OrderKey): Hex {
  return keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'uint160' }, { type: 'bool' }], [owner, expiration, zeroForOne]),
  )
}

/** What orders are read and planned through. */
export type TwammPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'nextEndpoint'>
  readonly liquidity: Pick<Liquidity, 'pool' | 'swaps'>
  /** Those that the operator names on a chain, and the pools in which orders may be placed. */
  readonly named: (chainId: number) => readonly { readonly hook: Address; readonly pools: readonly Hex[] }[]
}

/**
 * How much of an order is sold, and what it has earned: what was settled follows from the earnings factors of its changes, each per
 * unit of the rate at which it sold until then, times 2^96.
 */
export function orderProgress({ changes, stands, expiresAt, now, pending }: OrderHistory): OrderProgress {
  const end = Math.min(now, expiresAt)
  let [sold, earned] = [0n, pending]
  for (const [index, { timestamp, sellRate, earningsFactor }] of changes.entries()) {
    const next = changes[index + 1]
    // The last change of an order that no longer stands sells nothing from then on.
    if (next === undefined && !stands) break
    sold += sellRate * secondsBetween(timestamp, Math.min(next?.timestamp ?? end, expiresAt))
    if (next !== undefined) earned += (BigInt.asUintN(256, next.earningsFactor - earningsFactor) * sellRate) >> 96n
  }
  const [first, last] = [changes[0], changes.at(-1)]
  return {
    amountTotal: first === undefined ? 0n : first.sellRate * secondsBetween(first.timestamp, expiresAt),
    amountSold: sold,
    amountRemaining: stands && last !== undefined ? last.sellRate * secondsBetween(end, expiresAt) : 0n,
    amountReceived: earned,
  }
}

export function orderNotFound(chain: Chain, orderId: Hex, owner: Address | undefined): ToolError {
  const whose = owner === undefined ? '' : ' of the agent wallet'
  const message = `No order${whose} with this id was placed in this pool, as far as the logs of ${chain.name} reach back.`
  return new ToolError('ORDER_NOT_FOUND', message, {
    details: [
      {
        field: 'orderId',
        message: 'unknown order',
        orderId,
        accepted:
          'orderId and pool (poolId) as submit_twamm_order gave them, or get_transaction_status of the transaction that placed it',
      },
    ],
  })
}

const events = [
  getAbiItem({ abi: twammHookAbi, name: 'SubmitOrder' }),
  getAbiItem({ abi: twammHookAbi, name: 'UpdateOrder' }),
] as const

/** The log of its placing and those of its changes, oldest first; none where it was never placed. */
async function logsOfOrder(
  { rpc }: Pick<TwammPorts, 'rpc'>,
  chain: Chain,
  { pool, hook }: TwammPool,
  asked: { readonly orderId: Hex; readonly owner: Address | undefined; readonly newest: bigint },
) {
  const topics = [events.map((event) => toEventSelector(event)), pool.id, ...(asked.owner ? [pad(asked.owner)] : [])]
  const client = rpc.client(chain)
  const { logs } = await scanRareLogs({
    read: async (fromBlock, toBlock) => {
      const found = await readEventLogs(client, { address: hook, events, topics, fromBlock, toBlock })
      return found.filter(({ args }) => orderIdOf(args) === asked.orderId)
    },
    newest: asked.newest,
    oldest: 0n,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 40,
    learnt: learntOf(rpc, chain, 'order over time'),
    isEnough: (found) => found.some(({ eventName }) => eventName === 'SubmitOrder'),
  })
  return logs.slice(logs.findLastIndex(({ eventName }) => eventName === 'SubmitOrder')).filter(isAfterPlacing)
}

/** Where nothing was placed, the last of all logs is none. */
function isAfterPlacing({ eventName }: { readonly eventName: string }, index: number): boolean {
  return (eventName === 'SubmitOrder') === (index === 0)
}

type OrderLog = Awaited<ReturnType<typeof logsOfOrder>>[number]

async function datedChanges(
  { rpc }: Pick<TwammPorts, 'rpc'>,
  chain: Chain,
  logs: readonly OrderLog[],
): Promise<readonly OrderChange[]> {
  const client = rpc.client(chain)
  return Promise.all(
    logs.map(async ({ blockNumber, blockTimestamp, args: { sellRate, earningsFactorLast } }) => {
      // Not every node tells the time with a log.
      const timestamp = blockTimestamp ?? (await client.getBlock({ blockNumber })).timestamp
      return { timestamp: Number(timestamp), sellRate, earningsFactor: earningsFactorLast }
    }),
  )
}

const updateOrder = contractFunction(twammOrderAbi, 'updateOrder')

/** What settling the order now would put at its owner's disposal. */
async function pendingOf(
  { rpc }: Pick<TwammPorts, 'rpc'>,
  chain: Chain,
  { pool, hook }: TwammPool,
  key: OrderKey,
  blockNumber: bigint,
): Promise<bigint> {
  const args = [poolKeyOf(pool), key, 0n] as const
  const data = encodeFunctionData({ abi: twammOrderAbi, functionName: 'updateOrder', args })
  try {
    const { data: answer = '0x' } = await rpc.client(chain).call({ account: key.owner, to: hook, data, blockNumber })
    const [owed0, owed1] = updateOrder(hook, args).decode(answer)
    return key.zeroForOne ? owed1 : owed0
  } catch (cause) {
    if (cause instanceof ToolError) throw cause
    throw new ToolError('SIMULATION_FAILED', 'The hook would not settle the order now.', {
      details: [{ message: 'the hook', contract: hook }],
      cause,
    })
  }
}

function statusOf(
  order: Pick<TwammOrder, 'stands' | 'expiresAt' | 'readAt' | 'owedOut'>,
  changes: readonly OrderChange[],
): TwammOrder['status'] {
  const { stands, expiresAt, readAt, owedOut } = order
  if (stands) return readAt < expiresAt ? 'active' : 'completed'
  if ((changes.at(-1)?.timestamp ?? 0) < expiresAt) return 'cancelled'
  return owedOut > 0n ? 'completed' : 'claimed'
}

/** From the state that the endpoint still has, else from the last swap in the hours before; `null` where it gives neither. */
async function priceAtStart(
  ports: TwammPorts,
  chain: Chain,
  { pool }: TwammPool,
  placed: OrderLog,
): Promise<bigint | null> {
  const atLog = await orNull(readPriceAtLog(ports, chain, { pool, ...placed }))
  if (atLog !== null) return atLog
  const [{ timestamp } = { timestamp: 0 }] = await datedChanges(ports, chain, [placed])
  const history = await orNull(ports.liquidity.swaps(chain, pool, timestamp - beforeSeconds, timestamp))
  const last = history?.swaps.findLast((swap) => swap.timestamp <= timestamp)
  return (last ?? history?.created)?.sqrtPriceX96 ?? null
}

/** What the order is without the price at its start is still an answer. */
async function orNull<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ToolError || error instanceof BaseError) return null
    throw error
  }
}

const beforeSeconds = 6 * 3_600

type OrderProgress = Pick<TwammOrder, 'amountTotal' | 'amountSold' | 'amountRemaining' | 'amountReceived'>

type OrderHistory = {
  /** Its placing and each change since, oldest first, with the rate and the factor from then on. */
  readonly changes: readonly OrderChange[]
  readonly stands: boolean
  /** Unix seconds. */
  readonly expiresAt: number
  readonly now: number
  /** What it has earned since the last change. */
  readonly pending: bigint
}

type OrderChange = { readonly timestamp: number; readonly sellRate: bigint; readonly earningsFactor: bigint }

function secondsBetween(from: number, to: number): bigint {
  return BigInt(Math.max(to - from, 0))
}
