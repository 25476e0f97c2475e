import type { Amounts } from '@svc/lp-math'
import type { Address } from 'viem'
import type { Chain } from '@svc/wallet/core'
import type { Intent, IntentApproval, TokenQuantity } from '../../intent.ts'
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

/** Two amounts, each beside its token. */
export function sidesOf(token0: Token, token1: Token, { amount0, amount1 }: Amounts): [PaidSide, PaidSide] {
  return [
    { token: token0, amount: amount0 },
    { token: token1, amount: amount1 },
  ]
}

/** What must arrive at least, leaving out tokens of which nothing must. */
export function leastReceipts(sides: readonly PaidSide[]): TokenQuantity[] {
  return sides.filter((side) => side.amount > 0n).map(({ token, amount }) => ({ token: token.address, amount }))
}

/** An intent of the routine risk tier; what it does not name it does not spend, receive, allow or pay out. */
export function routineIntent(
  chain: Chain,
  facts: Pick<Intent, 'calls' | 'atomicity' | 'slippageBps' | 'deadline' | 'why'> &
    Partial<
      Pick<Intent, 'spends' | 'receives' | 'approvals' | 'recipients' | 'deposits' | 'permit' | 'notes' | 'restsOn'>
    >,
): Intent {
  return { chainId: chain.id, spends: [], receives: [], approvals: [], recipients: [], riskTier: 'routine', ...facts }
}
