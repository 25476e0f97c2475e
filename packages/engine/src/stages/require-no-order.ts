import { isAddressEqual } from 'viem'
import type { Weighed } from '../call/refusal.ts'
import { endIfDecided, openOrders } from '../orders/follow-orders.ts'
import type { Checked } from './prepare.ts'

/**
 * A signed order lives by the allowance of Permit2 that was made for it. Whatever needs one of the same token would change that, and take it
 * back when it is done, so it waits until the chain has decided on the order. Taking such an allowance away is never refused.
 */
export async function requireNoOrder(checked: Checked): Promise<Weighed> {
  const { engine, chain, wallet, allowances } = checked
  const needed = allowances.filter(({ spender, amount }) => amount > 0n && isAddressEqual(spender, chain.permit2))
  if (needed.length === 0) return { refusals: [] }
  const open = await openOrders(engine, chain)
  for (const one of open) {
    const isSame = needed.some(({ token }) => isAddressEqual(token, one.order.tokenIn))
    if (!isSame || !isAddressEqual(one.wallet, wallet) || (await endIfDecided(checked, one))) continue
    const expiresAt = new Date(one.order.deadline * 1_000).toISOString()
    const { operationId, orderId } = one
    return {
      refusals: [
        {
          code: 'ORDER_OPEN',
          message: 'A signed order sells this token by the allowance of Permit2 that this call needs for itself.',
          details: [{ message: 'the order', operationId, orderId, token: one.order.tokenIn, expiresAt }],
        },
      ],
    }
  }
  return { refusals: [] }
}
