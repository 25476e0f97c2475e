import type { OperatorRequest, StoredTransaction } from '@svc/store'
import type { JournalState } from '@svc/wallet/core'
import { encodeFunctionData, numberToHex, serializeTransaction } from 'viem'
import { erc20Abi } from '@svc/amm/abis'

export const wallet = `0x${'11'.repeat(20)}` as const
export const token = `0x${'22'.repeat(20)}` as const
export const spender = `0x${'33'.repeat(20)}` as const

/** A row of the journal: a call of the router, or the approval of an amount. Each has a hash of its own by nonce and attempt. */
export function storedTransaction(
  state: JournalState,
  change: Partial<StoredTransaction> & { readonly approves?: bigint } = {},
): StoredTransaction {
  const { approves, ...own } = change
  const nonce = own.nonce ?? 0
  const data =
    approves === undefined
      ? '0x12345678'
      : encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, approves] })
  const to = approves === undefined ? spender : token
  return {
    requestId: 'r',
    step: nonce,
    chainId: 1,
    from: wallet,
    nonce,
    attempt: 0,
    rawTransaction: serializeTransaction({ type: 'eip1559', chainId: 1, nonce, to, data }),
    hash: numberToHex(nonce * 100 + (own.attempt ?? 0), { size: 32 }),
    reservationId: null,
    state,
    signedAt: 0,
    asked: null,
    ...own,
  }
}

export function cancelled(outcome: OperatorRequest['outcome'] = null): OperatorRequest {
  return { what: 'cancel', by: 'operator:ada', at: 0, outcome }
}
