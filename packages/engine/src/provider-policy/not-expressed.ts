import type { Chain } from '@svc/wallet/core'
import type { Policy } from '../policy/policy.ts'

/** What the server enforces and the provider's rules cannot say, in the order of what it would cost to believe otherwise. */
export function notExpressed(policy: Policy, chains: readonly Chain[]): readonly string[] {
  const named = chains.flatMap(({ id }) =>
    (policy.contracts[id] ?? []).flatMap((entry) => (typeof entry === 'string' ? [] : [`${id}:${entry.address}`])),
  )
  const { perTransaction, perSession, daily } = policy.limitsUsd
  return [
    `limitsUsd (${perTransaction} / ${perSession} / ${daily} USD): the provider knows no prices. Native currency is capped in its own units by the template; token amounts are not capped.`,
    'simulation: what a transaction really moves is seen by the server alone.',
    'recipients: where a swap, a position or fees go stands in nested calldata that the rules cannot read (multicall, v4 actions, router commands).',
    'exact approvals: a rule bounds an approval below "unlimited"; that it is the amount of one call, and taken back after it, is kept by the server.',
    'Permit2 expiry (30 minutes): a rule compares with fixed numbers, not with the time of the signature.',
    `slippageBps.cap (${policy.slippageBps.cap}) and deadlineSeconds.cap (${policy.deadlineSeconds.cap}): not in the fields of the rules.`,
    `approvalThresholdUsd (${policy.approvalThresholdUsd ?? 'nobody is asked'}), delaySeconds, breaker, pause: decisions of the server; the provider signs at once.`,
    'principals: the provider sees one signing key, not who called.',
    ...(named.length === 0
      ? []
      : [`selectors of ${named.join(', ')}: a rule names functions by an ABI, which the policy does not have.`]),
    'the 24-hour cap of native currency is counted after each signature, so signatures at the same moment can pass it together; the server reserves before it signs.',
    'signing of raw hashes is no method that a rule can name: no rule allows it, and the server never asks for it.',
    'the owner of the provider policy must be a key that this host does not hold, or whoever takes the host can lift it.',
  ]
}
