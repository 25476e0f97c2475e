import type { Chain } from '@svc/wallet/core'
import {
  decodeFunctionData,
  encodeFunctionData,
  getAbiItem,
  parseEventLogs,
  toFunctionSelector,
  type Address,
  type Hex,
} from 'viem'
import { twammHookAbi, twammOrderAbi } from '../abis/twamm.ts'
import type { Intent, Settled, IntentCall } from '../intent.ts'
import { describeAmounts, routineIntent } from '../liquidity/planning/plan-payment.ts'
import { poolKeyOf } from '../liquidity/v4/pool-key.ts'
import type { Twamm, TwammPool, TwammSubmission, LiquidityPlan, Token, OwnTwammOrder, TwammPayout } from '../ports.ts'
import { contractRead } from '../rpc/contract-function.ts'
import { readAll } from '../rpc/read-all.ts'
import { ToolError } from '../tool-error.ts'
import type { OrderKey } from './order-memory.ts'
import { orderIdOf, type TwammPorts } from './read-order.ts'

/** The `planSubmit` of the port. An order ends with an interval: it sells for the time asked, and for what is left of the interval. */
export async function planSubmit(
  ports: Pick<TwammPorts, 'rpc'>,
  chain: Chain,
  pool: TwammPool,
  request: Parameters<Twamm['planSubmit']>[2],
): ReturnType<Twamm['planSubmit']> {
  const { tokenIn, tokenOut, amountIn, durationSeconds, owner, kept } = request
  const { hook, intervalSeconds } = pool
  requireInterval(durationSeconds, intervalSeconds)
  const key = poolKeyOf(pool.pool)
  const zeroForOne = tokenIn.address === key.currency0
  const { number, timestamp } = await ports.rpc.head(chain)
  const until = kept === null ? null : endOf(kept)
  const wanted = { owner, zeroForOne, number, timestamp, durationSeconds, until }
  const expiration = await freeExpiration(ports, chain, pool, wanted)
  const seconds = expiration - timestamp
  if (amountIn < seconds) throw tooSmall(seconds)
  const args = [key, { owner, expiration, zeroForOne }, amountIn] as const
  const data = encodeFunctionData({ abi: twammOrderAbi, functionName: 'submitOrder', args })
  const sold = [{ token: tokenIn, amount: amountIn }]
  return {
    intent: routineIntent(chain, {
      calls: [{ to: hook, data, valueWei: 0n, label: 'submit order' }],
      atomicity: 'single',
      spends: [{ token: tokenIn.address, amount: amountIn }],
      // Nothing comes at once, and the token is named all the same.
      receives: [{ token: tokenOut.address, amount: 0n }],
      approvals: [{ token: tokenIn.address, spender: hook, amount: amountIn, via: 'erc20', revokeAfter: true }],
      slippageBps: null,
      deadline: null,
      recipients: [owner],
      why: `Sell ${describeAmounts(sold, 'exact')} for ${tokenOut.symbol} bit by bit until ${isoOf(expiration)}, the first free end of an order after the ${durationSeconds} seconds asked for: the hook has one every ${intervalSeconds} seconds.`,
    }),
    preview: { amountOut: atPrice(pool, zeroForOne, amountIn) },
    decode: async (settled) => submission(ports, chain, pool, settled),
  }
}

function requireInterval(durationSeconds: number, intervalSeconds: number): void {
  if (durationSeconds >= intervalSeconds) return
  const message = `The hook of this pool sells for ${intervalSeconds} seconds or more.`
  throw new ToolError('DURATION_TOO_SHORT', message, {
    details: [{ field: 'duration', message, accepted: `at least ${intervalSeconds}` }],
    suggestion: `Call again with a duration of at least ${intervalSeconds}, or sell at once with execute_swap.`,
  })
}

/** An owner has one order of a direction for each end, so where one stands the next end is taken. */
async function freeExpiration(
  { rpc }: Pick<TwammPorts, 'rpc'>,
  chain: Chain,
  { pool, hook, intervalSeconds }: TwammPool,
  wanted: Omit<OrderKey, 'expiration'> & {
    readonly number: bigint
    readonly timestamp: bigint
    readonly durationSeconds: number
    readonly until: bigint | null
  },
): Promise<bigint> {
  const interval = BigInt(intervalSeconds)
  const earliest = wanted.timestamp + BigInt(wanted.durationSeconds)
  const first = ((earliest + interval - 1n) / interval) * interval
  const next = Array.from({ length: endsTried }, (_, index) => first + BigInt(index) * interval)
  const ends = wanted.until === null ? next : [wanted.until].filter((end) => end > wanted.timestamp)
  const key = poolKeyOf(pool)
  const reads = ends.map((expiration) => {
    const { owner, zeroForOne } = wanted
    return contractRead(hook, twammHookAbi, 'getOrder', [key, { owner, expiration, zeroForOne }])
  })
  const orders = await readAll(rpc.client(chain), chain, reads, wanted.number)
  const free = ends.find((_, index) => orders[index]?.sellRate === 0n)
  if (free !== undefined) return free
  if (wanted.until !== null) throw endTaken(wanted.until)
  const message = `Orders of this wallet stand at all of the next ${endsTried} ends.`
  throw new ToolError('VALIDATION_FAILED', message, {
    details: [
      { field: 'duration', message, accepted: `more than ${endsTried * intervalSeconds + wanted.durationSeconds}` },
    ],
  })
}

const endsTried = 6

/** Until when the order of a plan is sold: who approved it saw that. `null` where the plan places none. */
function endOf({ calls }: Intent): bigint | null {
  const ends = calls.flatMap(({ data }) => {
    if (!data.startsWith(submitOrderSelector)) return []
    const { args } = decodeFunctionData({ abi: twammOrderAbi, data })
    const key = args[1]
    return typeof key === 'object' ? [key.expiration] : []
  })
  return ends[0] ?? null
}

const submitOrderSelector = toFunctionSelector(getAbiItem({ abi: twammOrderAbi, name: 'submitOrder' }))

function endTaken(until: bigint): ToolError {
  const message = `The order was planned to end at ${isoOf(until)}, which has passed, or another order of the wallet ends then by now.`
  return new ToolError('SIMULATION_DRIFT', message, {
    details: [{ field: 'duration', message }],
    suggestion: 'Call submit_twamm_order again with dryRun for a plan with another end.',
  })
}

function tooSmall(seconds: bigint): ToolError {
  const message = `An order sells at least one smallest unit a second, and this one would last ${seconds} seconds.`
  return new ToolError('AMOUNT_TOO_SMALL', message, {
    details: [{ field: 'amount', message, accepted: `at least ${seconds} smallest units` }],
    suggestion: 'Call again with a larger amount or a shorter duration, or sell at once with execute_swap.',
  })
}

/** At the pool's price now, less its fee. */
function atPrice({ pool }: TwammPool, zeroForOne: boolean, amountIn: bigint): bigint {
  const square = pool.sqrtPriceX96 ** 2n
  const amountOut = zeroForOne ? (amountIn * square) >> 192n : (amountIn << 192n) / square
  return (amountOut * BigInt(1_000_000 - pool.fee)) / 1_000_000n
}

async function submission(
  { rpc }: Pick<TwammPorts, 'rpc'>,
  chain: Chain,
  { hook, pool }: TwammPool,
  { main }: Settled,
): Promise<TwammSubmission> {
  const logs = main.logs.filter(({ address }) => address.toLowerCase() === hook.toLowerCase())
  const event = parseEventLogs({ abi: twammHookAbi, eventName: 'SubmitOrder', logs }).find(
    ({ args }) => args.poolId === pool.id,
  )
  if (event === undefined) throw new TypeError('the hook reported no order')
  const { timestamp } = await rpc.client(chain).getBlock({ blockNumber: main.blockNumber })
  const { sellRate, expiration } = event.args
  return {
    orderId: orderIdOf(event.args),
    startedAt: Number(timestamp),
    expiresAt: Number(expiration),
    sellRate,
    amountIn: sellRate * (expiration - timestamp),
  }
}

function isoOf(seconds: bigint): string {
  return new Date(Number(seconds) * 1_000).toISOString()
}

/** The `planCancel` of the port. */
export function planCancel(chain: Chain, pool: TwammPool, order: OwnTwammOrder): LiquidityPlan<null, TwammPayout> {
  if (order.status !== 'active') throw notActive(order)
  const calls = [updateCall(pool, order, -1n), claimCall(pool, order, 'tokenIn'), claimCall(pool, order, 'tokenOut')]
  const why = `Cancel an order to sell ${order.tokenIn.symbol} for ${order.tokenOut.symbol}, and take home what it holds.`
  const secondsLeft = Math.max(0, order.expiresAt - order.readAt - longestWaitSeconds)
  return payout(chain, order, calls, why, order.owedIn + order.sellRate * BigInt(secondsLeft))
}

/** The `planClaim` of the port. What the hook owes its owner from earlier comes with it. */
export function planClaim(chain: Chain, pool: TwammPool, order: OwnTwammOrder): LiquidityPlan<null, TwammPayout> {
  const { owedIn, owedOut } = order
  if (owedIn === 0n && owedOut === 0n) throw nothingOwed(order)
  const calls = [
    ...(order.stands ? [updateCall(pool, order, 0n)] : []),
    ...(owedIn > 0n ? [claimCall(pool, order, 'tokenIn')] : []),
    ...(owedOut > 0n ? [claimCall(pool, order, 'tokenOut')] : []),
  ]
  const why = `Take home what an order to sell ${order.tokenIn.symbol} for ${order.tokenOut.symbol} has earned.`
  return payout(chain, order, calls, why, owedIn)
}

/** Between planning and the block. One that waits longer brings less than it declares, which the breaker takes for a shortfall. */
const longestWaitSeconds = 300

/** How much comes depends on the second at which it is mined: what is sure is declared, of `tokenOut` what is earned already. */
function payout(
  chain: Chain,
  { owner, tokenIn, tokenOut, owedOut }: OwnTwammOrder,
  calls: readonly IntentCall[],
  why: string,
  leastIn: bigint,
): LiquidityPlan<null, TwammPayout> {
  const receives = [
    { token: tokenIn.address, amount: leastIn },
    { token: tokenOut.address, amount: owedOut },
  ]
  const atomicity = calls.length === 1 ? 'single' : 'sequential'
  const facts = { calls, atomicity, receives, slippageBps: null, deadline: null, recipients: [owner], why } as const
  return {
    intent: routineIntent(chain, facts),
    preview: null,
    decode: async ({ deltas }) => {
      const cameOf = ({ address }: Token): bigint =>
        deltas.find(({ token }) => token.toLowerCase() === address.toLowerCase())?.amount ?? 0n
      return { amountIn: cameOf(tokenIn), amountOut: cameOf(tokenOut) }
    },
  }
}

function updateCall({ pool, hook }: TwammPool, order: OwnTwammOrder, amountDelta: bigint): IntentCall {
  const { owner, expiresAt, zeroForOne } = order
  const key = { owner, expiration: BigInt(expiresAt), zeroForOne }
  const args = [poolKeyOf(pool), key, amountDelta] as const
  const data = encodeFunctionData({ abi: twammOrderAbi, functionName: 'updateOrder', args })
  return callOf(hook, data, amountDelta === 0n ? 'settle order' : 'cancel order')
}

function claimCall({ hook }: TwammPool, order: OwnTwammOrder, side: 'tokenIn' | 'tokenOut'): IntentCall {
  const args = [order[side].address, order.owner, 0n] as const
  const data = encodeFunctionData({ abi: twammOrderAbi, functionName: 'claimTokens', args })
  return callOf(hook, data, side === 'tokenIn' ? 'claim what is not sold' : 'claim earnings')
}

function callOf(to: Address, data: Hex, label: string): IntentCall {
  return { to, data, valueWei: 0n, label }
}

function notActive({ status }: OwnTwammOrder): ToolError {
  return new ToolError('ORDER_NOT_ACTIVE', `The order is ${status}: nothing of it is left to be sold.`, {
    details: [{ field: 'orderId', message: `the order is ${status}`, accepted: 'an active order' }],
    ...(status === 'completed' && { suggestion: 'Call claim_twamm_order for what it has earned.' }),
  })
}

function nothingOwed({ status }: OwnTwammOrder): ToolError {
  const message = `The order is ${status}, and nothing of it waits to be claimed.`
  const details = [{ field: 'orderId', message }]
  const isOver = status !== 'active'
  const suggestion = isOver
    ? 'Nothing is left to do: all that the order brought was paid out.'
    : 'Nothing is due until the order has sold something: get_twamm_order_status shows how far it is.'
  return new ToolError('NOTHING_TO_COLLECT', message, { details, suggestion })
}
