import type { Address } from 'viem'
import type { IntentApproval, TokenQuantity } from '../../intent.ts'
import type { Token } from '../../ports.ts'

/** How a call is paid: what may leave the wallet, the exact allowances it needs, and the native value it carries. */
export function planPayment(
  sides: readonly PaidSide[],
  spender: Address,
  via: IntentApproval['via'],
): { spends: TokenQuantity[]; approvals: IntentApproval[]; valueWei: bigint } {
  const paid = sides.filter((side) => side.amount > 0n)
  return {
    spends: paid.map(({ token, amount }) => ({ token: token.address, amount })),
    approvals: paid
      .filter(({ token }) => !token.isNative)
      .map(({ token, amount }) => ({ token: token.address, spender, amount, via, revokeAfter: true })),
    valueWei: paid.reduce((sum, { token, amount }) => (token.isNative ? sum + amount : sum), 0n),
  }
}

export type PaidSide = { readonly token: Token; readonly amount: bigint }
