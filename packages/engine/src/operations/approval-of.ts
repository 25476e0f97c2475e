import type { JournalEntry } from '@svc/wallet/core'
import { type Address, decodeFunctionData, parseTransaction, size, slice, toFunctionSelector } from 'viem'
import { erc20Abi } from '@svc/amm/abis'

/**
 * The allowance that a signed transaction sets; `null` for any other. One of Permit2 has no amount of its own: it is worth
 * as much as the ERC-20 allowance under it.
 */
export function approvalOf({ rawTransaction }: Pick<JournalEntry, 'rawTransaction'>): SignedApproval | null {
  const { to, data = '0x' } = parseTransaction(rawTransaction)
  if (to == null || size(data) < 4) return null
  const selector = slice(data, 0, 4)
  if (selector === throughPermit2) return { via: 'permit2' }
  if (selector !== direct || size(data) < 68) return null
  const { args } = decodeFunctionData({ abi: erc20Abi, data })
  const [spender, amount] = args as readonly [Address, bigint]
  return { via: 'erc20', token: to, spender, amount }
}

export type SignedApproval =
  | { readonly via: 'erc20'; readonly token: Address; readonly spender: Address; readonly amount: bigint }
  | { readonly via: 'permit2' }

const direct = toFunctionSelector('approve(address,uint256)')
const throughPermit2 = toFunctionSelector('approve(address,address,uint160,uint48)')
