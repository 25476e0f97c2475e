import type { Intent, IntentCrossChain } from '@svc/amm'
import { crossChainOrderIdOf, openCalldata } from '@svc/amm/cross-chain'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual } from 'viem'
import type { Refusal } from '../call/refusal.ts'
import type { InspectionContext } from '../context/engine.ts'

/**
 * Holds a cross-chain order against the rest of its intent, byte by byte: its one call opens just this order at the chain's own settler, what
 * is put in is what is spent and allowed, to the settler alone, and the wallet itself is paid. Nothing else is called at a settler.
 */
export function crossChainRefusals(
  intent: Intent,
  { chain, wallet }: { readonly chain: Chain; readonly wallet: Address },
): readonly Refusal[] {
  const { crossChainSettler: settler } = chain
  const { crossChain: order, calls } = intent
  if (order === undefined) {
    const isCalled = settler !== undefined && calls.some(({ to }) => isAddressEqual(to, settler))
    return isCalled ? [otherThanDeclared('A call to the settler opens an order that the call does not declare.')] : []
  }
  const [call] = calls
  const isOwn = settler !== undefined && isAddressEqual(order.settler, settler)
  const isCall =
    call !== undefined &&
    calls.length === 1 &&
    call.valueWei === 0n &&
    isAddressEqual(call.to, order.settler) &&
    call.data.toLowerCase() === openCalldata(order).toLowerCase()
  const pays = isAddressEqual(order.recipient, wallet) && intent.recipients.every((one) => isAddressEqual(one, wallet))
  const found = [
    ...(isOwn ? [] : ['The chain has another settler.']),
    ...(isCall ? [] : ['Its call opens another order.']),
    ...(isCrossingDeclared(intent, order) ? [] : ['What the intent declares is not what it puts in and allows.']),
    ...(pays ? [] : ['It pays somebody else than the wallet.']),
    ...(intent.deadline === order.fillDeadline ? [] : ['It ends at another time than declared.']),
    ...(order.orderId === crossChainOrderIdOf(order, { chainId: chain.id, wallet }) ? [] : ['It has another hash.']),
    ...(order.destinationChainId === chain.id || order.outputAmount === 0n
      ? ['It brings nothing to another chain.']
      : []),
  ]
  return found.map(otherThanDeclared)
}

/** What the destination has to say: this server reads it, has its settler on record, lists the token, and has the same wallet there. */
export function destinationRefusals({
  engine,
  wallet,
  intent: { crossChain: order },
}: Pick<InspectionContext, 'engine' | 'intent' | 'wallet'>): readonly Refusal[] {
  if (order === undefined) return []
  const chain = engine.chains?.list().find(({ id }) => id === order.destinationChainId)
  if (chain?.crossChainSettler === undefined) {
    const message = 'The destination is not a chain of this server with a settler of cross-chain orders.'
    return [{ code: 'CROSS_CHAIN_NOT_SUPPORTED', message, details: [{ field: 'destinationChain', message }] }]
  }
  const there = engine.senders?.(chain).address
  const isOwn = there !== undefined && isAddressEqual(there, wallet)
  const isToken = engine.tokens.isListed(chain, order.outputToken)
  return [
    ...(isAddressEqual(chain.crossChainSettler, order.destinationSettler)
      ? []
      : [otherThanDeclared('The destination has another settler.')]),
    ...(isToken ? [] : [unlisted(order.outputToken, chain)]),
    ...(isOwn ? [] : [otherWallet(chain)]),
  ]
}

function isCrossingDeclared({ spends, receives, approvals, permit, order: signed }: Intent, order: IntentCrossChain): boolean {
  const [spent, allowed] = [spends[0], approvals[0]]
  if (spends.length !== 1 || receives.length > 0 || approvals.length !== 1) return false
  if (spent === undefined || allowed === undefined || permit !== undefined || signed !== undefined) return false
  const { settler, inputToken, inputAmount } = order
  return (
    inputAmount > 0n &&
    isAddressEqual(spent.token, inputToken) &&
    spent.amount === inputAmount &&
    isAddressEqual(allowed.token, inputToken) &&
    isAddressEqual(allowed.spender, settler) &&
    allowed.amount === inputAmount &&
    allowed.via === 'erc20' &&
    allowed.revokeAfter
  )
}

function otherThanDeclared(message: string): Refusal {
  const details = [{ field: 'crossChain', message }]
  return { code: 'UNSAFE_TRANSACTION', message: 'The cross-chain order is not what the call declares.', details }
}

function otherWallet({ name }: Chain): Refusal {
  const message = `The wallet of this server has another address on ${name}.`
  return { code: 'UNSAFE_TRANSACTION', message, details: [{ field: 'destinationChain', message }] }
}

function unlisted(token: Address, { name }: Chain): Refusal {
  return {
    code: 'TOKEN_NOT_ALLOWLISTED',
    message: `Neither the chain nor the policy lists the token that would arrive on ${name}.`,
    details: [{ field: 'tokenOut', message: 'not listed', token }],
  }
}
