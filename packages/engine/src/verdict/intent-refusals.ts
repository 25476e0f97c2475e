import { type Intent, type IntentOrder, type IntentCall, isBatch, type IntentCrossChain } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import type { Refusal } from '../call/refusal.ts'
import { unsigned } from '@svc/amm/liquidity'
import type { NestedCalls } from '../calldata/read-calldata.ts'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import { crossChainOrderIdOf, openCalldata } from '@svc/amm/cross-chain'
import type { InspectionContext } from '../context/engine.ts'
import { type CallBounds, readBounds } from '../calldata/call-bounds.ts'
import { sumByToken } from '../call/amounts.ts'

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
    ...(isOrderDeclared(intent, order, chain)
      ? []
      : ['What the intent declares is not what it sells, allows and brings.']),
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

/**
 * Holds the permits in calldata against the one that an intent declares: there is no other, it is for a position of the chain's own
 * position manager and for the universal router that is called with it, no signature stands in it yet, and the same call burns the
 * position, so that the right ends with it. A batch takes none.
 */
export function permitRefusals(intent: Intent, { chain, known }: PermitContext): readonly Refusal[] {
  const { permit, calls } = intent
  const made = calls.flatMap((call) => permitsOf(call, known).map((args) => ({ call, args })))
  if (permit === undefined) return made.length === 0 ? [] : [refuse('A call takes a right that is not declared.')]
  // The wallet would have to be simulated as two accounts at once: one that runs the batch, one that signed already.
  if (isBatch(intent)) return [refuse('A batch holds no call whose signature is still to be made.')]
  const [only] = made
  if (only === undefined || made.length > 1 || calls.length > 1)
    return [refuse('The calls do not take the one right that is declared.')]
  const { args, call } = only
  const isOurs = chain.amm.v3 !== undefined && isAddressEqual(permit.positionManager, chain.amm.v3.positionManager)
  const isRouter = isAddressEqual(permit.spender, call.to) && isAddressEqual(args['spender'] as Address, call.to)
  const isSame = args['tokenId'] === permit.tokenId && args['deadline'] === BigInt(permit.deadline)
  const isOpen = args['v'] === unsigned.v && args['r'] === unsigned.r && args['s'] === unsigned.s
  if (!isOurs || !isRouter || !isSame || !isOpen) return [refuse('A call takes another right than is declared.')]
  const burnt = nestedOf(call, known)?.burnt ?? []
  return burnt.includes(permit.tokenId) ? [] : [refuse('A right over a position would outlast the call.')]
}

export type PermitContext = { readonly chain: Chain; readonly known: Pick<KnownContracts, 'surfaces' | 'readCall'> }

function permitsOf(call: IntentCall, known: PermitContext['known']): NestedCalls['permits'] {
  return nestedOf(call, known)?.permits ?? []
}

function nestedOf(call: IntentCall, known: PermitContext['known']): NestedCalls | null {
  const surface = known.surfaces.get(call.to.toLowerCase())
  if (surface === undefined || surface === 'listed') return null
  return known.readCall(surface, call)?.nested ?? null
}

function refuse(message: string): Refusal {
  return { code: 'UNSAFE_TRANSACTION', message, details: [{ message: 'the permit' }] }
}

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

function isCrossingDeclared(
  { spends, receives, approvals, permit, order: signed }: Intent,
  order: IntentCrossChain,
): boolean {
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

/**
 * Refuses a call to a vault that does not stand alone, and a deposit whose allowance is not the one bound of what it costs: ERC-4626 names
 * no price, so that the token's own check of an exact allowance, taken back afterwards, is what a share price that rose fails at. Of a
 * rebalance the calldata itself has to hold a bound.
 */
export function vaultRefusals(intent: Intent, { chain, known }: Context): readonly Refusal[] {
  const { calls, approvals, atomicity } = intent
  if (calls.every(({ to }) => known.surfaces.get(to.toLowerCase()) !== 'vault')) return []
  const [only, ...others] = readBounds(intent, chain, known).bounds
  if (only === undefined || others.length > 0 || atomicity !== 'single' || calls.some(({ valueWei }) => valueWei > 0n))
    return [unsafe('A call to a vault stands alone, and carries no native currency.')]
  if (only.rebalances.some(({ shares, leastAssets }) => shares === 0n || leastAssets === 0n))
    return [unsafe('A rebalance has to say what shares of the vault are worth at least afterwards.')]
  const isBounded = only.vaultDeposits.length === 0 ? approvals.length === 0 : isPaidExactly(only, intent)
  return isBounded ? [] : [unsafe('What the vault may take is not bounded by an exact allowance of one token.')]
}

type Context = { readonly chain: Chain; readonly known: KnownContracts }

/** One token leaves, no more than the vault is allowed, which is taken back; and the shares that the calldata makes are those declared. */
function isPaidExactly({ vaultDeposits }: CallBounds, { approvals, spends, receives, calls }: Intent): boolean {
  const [allowed, ...others] = approvals
  const [spent, ...more] = sumByToken(spends)
  const [call] = calls
  if (allowed === undefined || others.length > 0 || spent === undefined || more.length > 0 || call === undefined)
    return false
  const [token, amount] = spent
  const declared = sumByToken(receives).get(call.to.toLowerCase())
  return (
    allowed.via === 'erc20' &&
    allowed.revokeAfter &&
    isAddressEqual(allowed.spender, call.to) &&
    allowed.token.toLowerCase() === token &&
    allowed.amount === amount &&
    token !== call.to.toLowerCase() &&
    vaultDeposits.every(({ shares }) => shares === declared)
  )
}

function unsafe(message: string): Refusal {
  return { code: 'UNSAFE_TRANSACTION', message }
}
