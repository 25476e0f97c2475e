import type { Chain } from '@svc/wallet/core'
import { type Address, getAddress, maxUint256, zeroAddress } from 'viem'
import type { ErrorDetail } from '../tool-error.ts'
import { ToolError } from '../tool-error.ts'
import type { IntentOrder } from '../intent.ts'
import type { OrderRequest } from '../ports.ts'
import type { OrderQuote } from '../upstream/trading-wire.ts'
import { orderIdOf } from './order-form.ts'

/**
 * Takes an offered order apart. It is worded anew from the members that may differ; every other must be what was asked for, or nothing is
 * signed. Throws `UNSAFE_TRANSACTION` whose details name each member that is not.
 */
export function readOfferedOrder(quote: OrderQuote, asked: OrderRequest, place: OrderPlace): IntentOrder {
  const { orderInfo } = quote
  const [output] = orderInfo.outputs
  const { tokenIn, tokenOut, amountIn, wallet } = asked
  const order: IntentOrder = {
    reactor: place.reactor,
    nonce: BigInt(orderInfo.nonce),
    deadline: orderInfo.deadline,
    cosigner: addressIn(orderInfo.cosigner),
    tokenIn: tokenIn.address,
    amountIn,
    tokenOut: tokenOut.address,
    startAmountOut: BigInt(output?.startAmount ?? 0),
    endAmountOut: BigInt(output?.endAmount ?? 0),
    holder: place.holder,
    quote: JSON.stringify(quote),
  }
  const members: readonly Member[] = [
    ['chainId', `${orderInfo.chainId}`, `${place.chain.id}`],
    ['reactor', orderInfo.reactor, place.reactor],
    ['swapper', orderInfo.swapper, wallet],
    ['additionalValidationContract', orderInfo.additionalValidationContract ?? zeroAddress, zeroAddress],
    ['additionalValidationData', orderInfo.additionalValidationData ?? '0x', '0x'],
    ['input.token', orderInfo.input.token, tokenIn.address],
    ['input.startAmount', orderInfo.input.startAmount, `${amountIn}`],
    ['input.endAmount', orderInfo.input.endAmount, `${amountIn}`],
    ['outputs', `${orderInfo.outputs.length}`, '1'],
    ['outputs[0].token', output?.token ?? '', tokenOut.address],
    ['outputs[0].recipient', output?.recipient ?? '', wallet],
  ]
  const details = [...members.flatMap(differing), ...beyond(order, asked, place)]
  if (details.length > 0) throw unsafe(details)
  // What it calls itself is what its fillers look it up by: another name is another order.
  if (quote.orderId.toLowerCase() !== orderIdOf(order, wallet)) {
    throw unsafe(differing(['orderId', quote.orderId, orderIdOf(order, wallet)]))
  }
  return order
}

export type OrderPlace = {
  readonly chain: Chain
  readonly reactor: Address
  /** Of the token that is bought. */
  readonly holder: Address
  /** Unix seconds of the newest block. */
  readonly timestamp: number
}

type Member = readonly [field: string, offered: string, asked: string]

function differing([field, offered, asked]: Member): readonly ErrorDetail[] {
  if (offered.toLowerCase() === asked.toLowerCase()) return []
  return [{ field: `order.${field}`, message: 'The order on offer is another one here.', offered, asked }]
}

/** What may be anything within bounds. */
function beyond(order: IntentOrder, asked: OrderRequest, place: OrderPlace): readonly ErrorDetail[] {
  const { deadline, startAmountOut, endAmountOut, cosigner, nonce } = order
  const refuse = (field: string, message: string, offered: string) => [{ field: `order.${field}`, message, offered }]
  return [
    ...(deadline > asked.latestDeadline
      ? refuse('deadline', `It may be filled later than ${asked.latestDeadline}.`, `${deadline}`)
      : []),
    ...(deadline <= place.timestamp ? refuse('deadline', 'It is over already.', `${deadline}`) : []),
    ...(startAmountOut < endAmountOut
      ? refuse('outputs[0].startAmount', 'It asks for less at first than at the end.', `${startAmountOut}`)
      : []),
    ...(endAmountOut === 0n ? refuse('outputs[0].endAmount', 'It ends at nothing.', '0') : []),
    ...(cosigner === zeroAddress ? refuse('cosigner', 'Nobody can fill it.', cosigner) : []),
    ...(nonce > maxUint256 ? refuse('nonce', 'It is no nonce.', `${nonce}`) : []),
    ...(startAmountOut > maxUint256 ? refuse('outputs[0].startAmount', 'It is no amount.', `${startAmountOut}`) : []),
    ...(endAmountOut > maxUint256 ? refuse('outputs[0].endAmount', 'It is no amount.', `${endAmountOut}`) : []),
  ]
}

function unsafe(details: readonly ErrorDetail[]): ToolError {
  return new ToolError('UNSAFE_TRANSACTION', 'The order on offer is not what was asked for. Nothing was signed.', {
    details,
    suggestion: 'Sell at once with execute_swap, and tell the operator: who offers such an order is to be looked at.',
  })
}

function addressIn(text: string): Address {
  return getAddress(text)
}
