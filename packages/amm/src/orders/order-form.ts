import { type Address, type Hash, hashStruct, zeroAddress } from 'viem'
import type { IntentOrder } from '../intent.ts'

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
