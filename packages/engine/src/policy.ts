// What `svc policy` works with, and the guard over what others built.
export { openReads } from './open-reads.ts'
export { explainPolicy, type PolicyQuestion } from './verdict/explain-policy.ts'
export { batchDelegateDeployment, holdsBatchDelegate } from './batch/atomic-route.ts'
export { knownContracts } from './calldata/known-contracts.ts'
export type { PolicyCheck } from './verdict/value-checks.ts'
export { compilePolicy } from './provider-policy/compile-policy.ts'
export { roleTemplates, type AgentRole } from './provider-policy/role-templates.ts'
export { loadPolicy, parsePolicy, policyHash, type Policy } from './policy/policy.ts'
export { runPolicyCases, type PolicyCaseResult } from './verdict/policy-cases.ts'
export { policyFaults } from './policy/policy-source.ts'
export { operatorName, passkeyOf } from './policy/policy-values.ts'
export { policyJsonSchema } from './policy/policy-schema.ts'
export { policyMembers, readPolicyFile, type PolicyFile } from './policy/read-policy-file.ts'
export { priceSourceFaults } from './policy/policy-price-sources.ts'
export { sessionIdleMs } from './spending/spend-limit.ts'
export { guardUpstream } from './upstream/guard-upstream.ts'
export { type DayUse, readDayUse } from './verdict/safety-report.ts'
export { budgetNames, dailyValueCaps, type MostLost, mostLost, mostLostText } from './spending/budgets.ts'
export {
  bandReport,
  weighedReport,
  type BandReport,
  type PriceReport,
  type ValueReport,
  type WeighedIntent,
  type WeighedReport,
  type WitnessReport,
} from './value/weighed-report.ts'
export { weighIntent } from './weigh-intent.ts'
