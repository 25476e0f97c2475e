import type { Intent, IntentOrder } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import type { Refusal } from '../call/refusal.ts'

/**
 * Holds a signed order against the rest of its intent: it is all that the intent does, the chain's own reactor settles it, what it sells is
 * what is spent and allowed to Permit2 alone, and what it falls to is what is declared to come, to the wallet.
 */
export function orderRefusals(intent: Intent, { chain, wallet }: OrderContext): readonly Refusal[] {
  const { order } = intent
  if (order === undefined) return []
  const found = [
    ...(intent.calls.length > 0 || intent.permit !== undefined ? ['It stands beside other calls.'] : []),
    ...(isReactorOf(chain, order) ? [] : ['The chain has another reactor.']),
    ...(isOrderDeclared(intent, order, chain) ? [] : ['What the intent declares is not what it sells, allows and brings.']),
    ...(intent.recipients.every((recipient) => isAddressEqual(recipient, wallet)) ? [] : ['It pays somebody else.']),
    ...(intent.deadline === order.deadline ? [] : ['It ends at another time than declared.']),
    ...(order.startAmountOut < order.endAmountOut || order.endAmountOut === 0n
      ? ['It falls to nothing, or rises.']
      : []),
    ...(isAddressEqual(order.cosigner, zeroAddress) ? ['Nobody can fill it.'] : []),
  ]
  return found.map((message) => ({
    code: 'UNSAFE_TRANSACTION',
    message: 'The order is not what the call declares.',
    details: [{ field: 'order', message }],
  }))
}

export type OrderContext = { readonly chain: Chain; readonly wallet: Address }

function isReactorOf({ orderReactor }: Chain, { reactor }: IntentOrder): boolean {
  return orderReactor !== undefined && isAddressEqual(orderReactor, reactor)
}

function isOrderDeclared({ spends, receives, approvals }: Intent, order: IntentOrder, { permit2 }: Chain): boolean {
  const [spent, received, allowed] = [spends[0], receives[0], approvals[0]]
  if (spends.length !== 1 || receives.length !== 1 || approvals.length !== 1) return false
  if (spent === undefined || received === undefined || allowed === undefined) return false
  const { tokenIn, amountIn, tokenOut, endAmountOut } = order
  return (
    !isAddressEqual(tokenIn, tokenOut) &&
    ![tokenIn, tokenOut].includes(zeroAddress) &&
    amountIn > 0n &&
    isAddressEqual(spent.token, tokenIn) &&
    spent.amount === amountIn &&
    isAddressEqual(received.token, tokenOut) &&
    received.amount === endAmountOut &&
    isAddressEqual(allowed.token, tokenIn) &&
    isAddressEqual(allowed.spender, permit2) &&
    allowed.amount === amountIn &&
    allowed.via === 'erc20' &&
    allowed.revokeAfter
  )
}
