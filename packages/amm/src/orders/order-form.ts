import { type Address, type Hash, hashStruct, zeroAddress, getAddress, maxUint256 } from 'viem'
import type { IntentOrder } from '../intent.ts'
import type { Chain } from '@svc/wallet/core'
import { type ErrorDetail, ToolError } from '../tool-error.ts'
import type { OrderRequest } from '../ports.ts'
import type { OrderQuote } from '../upstream/trading-wire.ts'

/**
 * The typed data of an order (EIP-712): a signature transfer of Permit2 whose witness is a `V2DutchOrder`, as the UniswapX contracts hash
 * it. All that is not a member of the order is fixed: the wallet is swapper and the only one who is paid, the input does not rise, and no
 * contract of others is asked.
 */
export function orderTypedData(
  order: IntentOrder,
  { chainId, permit2, wallet }: { readonly chainId: number; readonly permit2: Address; readonly wallet: Address },
) {
  const { reactor, nonce, tokenIn, amountIn } = order
  const deadline = BigInt(order.deadline)
  const message = {
    permitted: { token: tokenIn, amount: amountIn },
    spender: reactor,
    nonce,
    deadline,
    witness: witnessOf(order, wallet),
  }
  const domain = { name: 'Permit2', chainId, verifyingContract: permit2 }
  return { domain, types: orderTypes, primaryType: 'PermitWitnessTransferFrom', message } as const
}

/** The hash by which the reactor and its fillers know an order. It names no chain: the reactor does. */
export function orderIdOf(order: IntentOrder, wallet: Address): Hash {
  return hashStruct({ data: witnessOf(order, wallet), types: orderTypes, primaryType: 'V2DutchOrder' })
}

function witnessOf(order: IntentOrder, swapper: Address) {
  const { reactor, nonce, cosigner, tokenIn, amountIn, tokenOut, startAmountOut, endAmountOut } = order
  return {
    info: {
      reactor,
      swapper,
      nonce,
      deadline: BigInt(order.deadline),
      additionalValidationContract: zeroAddress,
      additionalValidationData: '0x',
    },
    cosigner,
    baseInputToken: tokenIn,
    baseInputStartAmount: amountIn,
    baseInputEndAmount: amountIn,
    baseOutputs: [{ token: tokenOut, startAmount: startAmountOut, endAmount: endAmountOut, recipient: swapper }],
  } as const
}

const orderTypes = {
  PermitWitnessTransferFrom: [
    { name: 'permitted', type: 'TokenPermissions' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'witness', type: 'V2DutchOrder' },
  ],
  TokenPermissions: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
  V2DutchOrder: [
    { name: 'info', type: 'OrderInfo' },
    { name: 'cosigner', type: 'address' },
    { name: 'baseInputToken', type: 'address' },
    { name: 'baseInputStartAmount', type: 'uint256' },
    { name: 'baseInputEndAmount', type: 'uint256' },
    { name: 'baseOutputs', type: 'DutchOutput[]' },
  ],
  OrderInfo: [
    { name: 'reactor', type: 'address' },
    { name: 'swapper', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'additionalValidationContract', type: 'address' },
    { name: 'additionalValidationData', type: 'bytes' },
  ],
  DutchOutput: [
    { name: 'token', type: 'address' },
    { name: 'startAmount', type: 'uint256' },
    { name: 'endAmount', type: 'uint256' },
    { name: 'recipient', type: 'address' },
  ],
} as const

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
