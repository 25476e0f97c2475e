import { isAddressEqual } from 'viem'
import type { Refusal, Weighed } from '../call/refusal.ts'
import { endIfDecided } from '../orders/follow-orders.ts'
import { type OpenOrder, openOrders } from '../orders/open-orders.ts'
import type { Checked } from './prepare.ts'

/**
 * A signed order lives by the allowance of Permit2 that was made for it. Whatever needs one of the same token would change that, and take it
 * back when it is done, so it waits until the chain has decided on the order. Taking such an allowance away is never refused. Nor do two
 * orders share a nonce: what uses up that of one would tell nothing of the other.
 */
export async function requireNoOrder(checked: Checked): Promise<Weighed> {
  const { engine, chain, wallet, allowances, intent } = checked
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
