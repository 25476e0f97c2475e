import type { Chain } from '@svc/wallet/core'
import { type Hex, parseTransaction, type TransactionReceipt } from 'viem'
import { unpricedGasCapWei } from '../spending/gas.ts'
import { parentFeeOf } from '../spending/gas-cap.ts'

/**
 * A receipt with no more gas at no higher price than what was signed allows: the chain cannot take more, so an endpoint
 * that names more is wrong. The fee of a roll-up for its parent chain, in wei, is in no signature: it is taken on chains
 * that charge one, up to twenty times what the signed gas may cost, or a fiftieth of a coin where that is more.
 */
export function clampReceipt(
  receipt: TransactionReceipt,
  rawTransaction: Hex,
  { l1DataFee = false }: Pick<Chain, 'l1DataFee'>,
): TransactionReceipt {
  const { gas, maxFeePerGas } = parseTransaction(rawTransaction)
  const gasUsed = least(receipt.gasUsed, gas)
  const effectiveGasPrice = least(receipt.effectiveGasPrice, maxFeePerGas)
  const fee = l1DataFee ? parentFeeOf(receipt) : 0n
  const twentyfold = 20n * (gas ?? gasUsed) * (maxFeePerGas ?? effectiveGasPrice)
  const most = twentyfold > unpricedGasCapWei ? twentyfold : unpricedGasCapWei
  const bounded = { ...receipt, gasUsed, effectiveGasPrice }
  return 'l1Fee' in receipt || fee > 0n ? Object.assign(bounded, { l1Fee: least(fee, most) }) : bounded
}

function least(value: bigint, bound: bigint | undefined): bigint {
  return bound !== undefined && value > bound ? bound : value
}
