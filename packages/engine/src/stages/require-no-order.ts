import { isAddressEqual } from 'viem'
import type { Refusal, Weighed } from '../call/refusal.ts'
import { endIfDecided } from '../orders/follow-orders.ts'
import { endCrossChainIfDecided } from '../cross-chain/follow-cross-chain.ts'
import { openCrossChainOrders } from '../cross-chain/open-cross-chain.ts'
import { type OpenOrder, openOrders } from '../orders/settle-order.ts'
import type { Checked } from './prepare.ts'

/**
 * A signed order lives by the allowance of Permit2 that was made for it. Whatever needs one of the same token would change that, and take it
 * back when it is done, so it waits until the chain has decided on the order. Taking such an allowance away is never refused. Nor do two
 * orders share a nonce: what uses up that of one would tell nothing of the other.
 */
export async function requireNoOrder(checked: Checked): Promise<Weighed> {
  const { engine, chain, wallet, allowances, intent } = checked
  const crossing = await crossingOf(checked)
  if (crossing !== null) return { refusals: [crossing] }
  const needed = allowances.filter(({ spender, amount }) => amount > 0n && isAddressEqual(spender, chain.permit2))
  if (needed.length === 0) return { refusals: [] }
  const open = (await openOrders(engine, chain)).filter((one) => isAddressEqual(one.wallet, wallet))
  for (const one of open) {
    const isSame = needed.some(({ token }) => isAddressEqual(token, one.order.tokenIn))
    const isSameNonce = one.order.nonce === intent.order?.nonce
    if (!(isSame || isSameNonce) || (await endIfDecided(checked, one))) continue
    return { refusals: [isSame ? openOrder(one) : sharedNonce(one)] }
  }
  return { refusals: [] }
}

/** What comes back from a settler tells no orders apart: no two of one token are open at a time. */
async function crossingOf(checked: Checked): Promise<Refusal | null> {
  const { engine, chain, wallet, intent } = checked
  if (intent.crossChain === undefined) return null
  for (const one of await openCrossChainOrders(engine, chain)) {
    const isSame =
      isAddressEqual(one.order.inputToken, intent.crossChain.inputToken) && isAddressEqual(one.wallet, wallet)
    if (!isSame || (await endCrossChainIfDecided(checked, one, { mayBeOnItsWay: true }))) continue
    const { operationId, orderId, order } = one
    const expiresAt = new Date(order.fillDeadline * 1_000).toISOString()
    return {
      code: 'ORDER_OPEN',
      message: 'A cross-chain order that puts in this token is open on this chain.',
      details: [{ message: 'the order', operationId, orderId, token: order.inputToken, expiresAt }],
      suggestion: 'Wait until it is filled, or until what was put in has come back: get_operation follows it.',
    }
  }
  return null
}

function openOrder({ order, operationId, orderId }: OpenOrder): Refusal {
  const expiresAt = new Date(order.deadline * 1_000).toISOString()
  return {
    code: 'ORDER_OPEN',
    message: 'A signed order sells this token by the allowance of Permit2 that this call needs for itself.',
    details: [{ message: 'the order', operationId, orderId, token: order.tokenIn, expiresAt }],
  }
}

function sharedNonce({ order, operationId, orderId }: OpenOrder): Refusal {
  const message = 'The order on offer has the nonce of another that is open.'
  return {
    code: 'UNSAFE_TRANSACTION',
    message,
    details: [{ field: 'order.nonce', message, offered: `${order.nonce}`, operationId, orderId }],
  }
}
