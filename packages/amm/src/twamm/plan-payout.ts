import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { twammOrderAbi } from '../abis/twamm.ts'
import type { IntentCall } from '../intent.ts'
import { routineIntent } from '../liquidity/planning/plan-payment.ts'
import { poolKeyOf } from '../liquidity/v4/pool-key.ts'
import type { LiquidityPlan, Token, OwnTwammOrder, TwammPayout, TwammPool } from '../ports.ts'
import { ToolError } from '../tool-error.ts'

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
