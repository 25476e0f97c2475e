import { nobody, type SafetySource } from '../status/safety-source.ts'
import type { MetricName } from './metric-catalogue.ts'
import type { Samples } from './samples.ts'

/** Sets the gauges of limits, budgets and switches as they stand now; what is not known is not shown. */
export async function showSafety(samples: Samples, { safety, underWay, role }: SafetySource): Promise<void> {
  const facts = role?.()
  if (facts !== undefined) {
    samples.set('svc_leader', {}, Number(facts.role === 'leader'))
    samples.set('svc_takeovers', {}, facts.takeovers)
  }
  samples.set('svc_writes_under_way', {}, underWay())
  const report = await safety(nobody).catch(() => null)
  samples.set('svc_safety_readable', {}, Number(report !== null))
  for (const name of ofReport) samples.clear(name)
  if (report === null) return
  const { limitsUsd, spentUsd, valueUsd, pendingTransactions } = report
  samples.set('svc_safety_paused', {}, Number(report.paused))
  samples.set('svc_safety_breaker_open', {}, Number(report.breakerOpen))
  samples.set('svc_safety_policy_valid', {}, Number(report.policyFault === null))
  if (pendingTransactions !== null) samples.set('svc_tx_pending', {}, pendingTransactions)
  if (spentUsd !== null) samples.set('svc_safety_spent_usd', {}, Number(spentUsd.daily))
  for (const [limit, usd] of Object.entries(limitsUsd ?? {}))
    samples.set('svc_safety_limit_usd', { limit }, Number(usd))
  for (const [budget, { used, cap }] of Object.entries(valueUsd ?? {})) {
    samples.set('svc_safety_budget_used_usd', { budget }, Number(used))
    samples.set('svc_safety_budget_cap_usd', { budget }, Number(cap))
  }
}

const ofReport: readonly MetricName<'gauge'>[] = [
  'svc_safety_paused',
  'svc_safety_breaker_open',
  'svc_safety_policy_valid',
  'svc_tx_pending',
  'svc_safety_spent_usd',
  'svc_safety_limit_usd',
  'svc_safety_budget_used_usd',
  'svc_safety_budget_cap_usd',
]
