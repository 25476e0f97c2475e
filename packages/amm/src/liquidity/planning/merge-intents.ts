import type { Intent, IntentApproval, TokenQuantity } from '../../intent.ts'

/**
 * One intent of several, in their order, for a wallet that makes all their calls as one transaction. What one part brings pays for what
 * another spends, so only the rest must arrive; the most that may leave stays the sum. Allowances of one token for one spender become
 * one of their sum. A single part with a single call stays as it is.
 */
export function mergeIntents(parts: readonly [Intent, ...Intent[]], why: string): Intent {
  const [first] = parts
  const calls = parts.flatMap((part) => part.calls)
  if (parts.length === 1 && calls.length === 1) return { ...first, why }
  const spends = sumOf(parts.flatMap((part) => part.spends))
  return {
    chainId: first.chainId,
    calls,
    atomicity: 'batch-7702',
    spends,
    receives: sumOf(parts.flatMap((part) => part.receives)).flatMap(({ token, amount }) => {
      const spent = spends.find((one) => isSame(one.token, token))?.amount ?? 0n
      return amount > spent ? [{ token, amount: amount - spent }] : []
    }),
    approvals: mergedApprovals(parts.flatMap((part) => part.approvals)),
    riskTier: 'routine',
    slippageBps: greatest(parts.map((part) => part.slippageBps)),
    deadline: greatest(parts.map((part) => part.deadline)),
    recipients: [...new Set(parts.flatMap((part) => part.recipients))],
    deposits: parts.flatMap((part) => part.deposits ?? []),
    ...(parts.some((part) => part.allowsUnpricedPool) && { allowsUnpricedPool: true }),
    restsOn: parts.flatMap((part) => part.restsOn ?? []),
    why,
  }
}

function sumOf(quantities: readonly TokenQuantity[]): readonly TokenQuantity[] {
  const sums = new Map<string, TokenQuantity>()
  for (const { token, amount } of quantities) {
    const key = token.toLowerCase()
    sums.set(key, { token, amount: (sums.get(key)?.amount ?? 0n) + amount })
  }
  return [...sums.values()]
}

function mergedApprovals(approvals: readonly IntentApproval[]): readonly IntentApproval[] {
  const merged = new Map<string, IntentApproval>()
  for (const approval of approvals) {
    const { token, spender, via, revokeAfter } = approval
    const key = `${token} ${spender} ${via} ${revokeAfter}`.toLowerCase()
    merged.set(key, { ...approval, amount: (merged.get(key)?.amount ?? 0n) + approval.amount })
  }
  return [...merged.values()]
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** `null` where no part has one. */
function greatest(values: readonly (number | null)[]): number | null {
  return values.reduce((most, value) => (most === null || (value !== null && value > most) ? value : most), null)
}
