import type { Chain } from '@svc/wallet/core'
import type { Intent } from '../../intent.ts'

/** An intent of the routine risk tier; what it does not name it does not spend, receive, allow or pay out. */
export function routineIntent(
  chain: Chain,
  facts: Pick<Intent, 'calls' | 'atomicity' | 'slippageBps' | 'deadline' | 'why'> &
    Partial<Pick<Intent, 'spends' | 'receives' | 'approvals' | 'recipients' | 'deposits' | 'permit'>>,
): Intent {
  return { chainId: chain.id, spends: [], receives: [], approvals: [], recipients: [], riskTier: 'routine', ...facts }
}
