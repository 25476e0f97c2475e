import type { Principal, SafetyReport } from '@svc/engine'
import type { Samples } from './samples.ts'

/** Sets the gauges of limits, budgets and switches as they stand now. A report that cannot be had leaves them as they were. */
export async function showSafety(samples: Samples, { safety, underWay }: SafetySource): Promise<void> {
  samples.set('svc_writes_under_way', {}, underWay())
  const report = await safety(nobody).catch(() => null)
  if (report === null) return
  const { limitsUsd, spentUsd, valueUsd } = report
  samples.set('svc_safety_paused', {}, Number(report.paused))
  samples.set('svc_safety_breaker_open', {}, Number(report.breakerOpen))
  samples.set('svc_safety_policy_valid', {}, Number(report.policyFault === null))
  samples.set('svc_tx_pending', {}, report.pendingTransactions ?? 0)
  if (spentUsd !== null) samples.set('svc_safety_spent_usd', {}, Number(spentUsd.daily))
  for (const [limit, usd] of Object.entries(limitsUsd ?? {}))
    samples.set('svc_safety_limit_usd', { limit }, Number(usd))
  for (const [budget, { used, cap }] of Object.entries(valueUsd ?? {})) {
    samples.set('svc_safety_budget_used_usd', { budget }, Number(used))
    samples.set('svc_safety_budget_cap_usd', { budget }, Number(cap))
  }
}

export type SafetySource = {
  readonly safety: (principal: Principal) => Promise<SafetyReport>
  readonly underWay: () => number
}

/** Whose session nothing was spent in: what is of all callers is the same for anybody. */
const nobody: Principal = { id: 'metrics', stage: 'local', tier: null, scopes: new Set(), expiresAt: null }
