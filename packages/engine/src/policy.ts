// What `svc policy` works with, and the guard over what others built.
export { openReads } from './open-reads.ts'
export { explainPolicy } from './verdict/explain-policy.ts'
export type { PolicyQuestion } from './verdict/explain-policy.ts'
export { batchDelegateDeployment, holdsBatchDelegate } from './batch/batch-delegate.ts'
export { knownContracts } from './calldata/known-contracts.ts'
export type { PolicyCheck } from './policy/policy-check.ts'
export { compilePolicy } from './provider-policy/compile-policy.ts'
export { roleTemplates, type AgentRole } from './provider-policy/role-templates.ts'
export { loadPolicy, parsePolicy, policyHash } from './policy/policy.ts'
export type { Policy } from './policy/policy.ts'
export { runPolicyCases } from './verdict/policy-cases.ts'
export type { PolicyCaseResult } from './verdict/policy-cases.ts'
export { policyFaults } from './policy/report-policy.ts'
export { operatorName, passkeyOf } from './policy/policy-operators.ts'
export { policyJsonSchema } from './policy/policy-schema.ts'
export { policyMembers } from './policy/policy-problems.ts'
export { priceSourceFaults } from './policy/policy-price-sources.ts'
export { readPolicyFile } from './policy/read-policy-file.ts'
export type { PolicyFile } from './policy/read-policy-file.ts'
export { sessionIdleMs } from './spending/spend-limit.ts'
export { guardUpstream } from './upstream/guard-upstream.ts'
export { type DayUse, readDayUse } from './verdict/day-use.ts'
export { budgetNames, dailyValueCaps } from './spending/budget-names.ts'
export { type MostLost, mostLost, mostLostText } from './spending/most-lost.ts'
export { bandReport, weighedReport } from './value/weighed-report.ts'
export type {
  BandReport,
  PriceReport,
  ValueReport,
  WeighedIntent,
  WeighedReport,
  WitnessReport,
} from './value/weighed-report.ts'
export { weighIntent } from './weigh-intent.ts'
