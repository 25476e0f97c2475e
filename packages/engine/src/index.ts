export type { LatestAudit } from './audit/read-audit-log.ts'
export { readOwedAllowances } from './recovery/owed-allowances-file.ts'
export { approvalMessage } from './approvals/operation-text.ts'
export {
  readStoredPlan,
  type ApprovalAnswer,
  type ApprovalQuestion,
  type ApprovalReply,
  type Doubt,
  type OperationActions,
  type OperationReads,
  type OperationsPipeline,
  type OperationsQuery,
  operationStates,
  orderStates,
  type OperationSummary,
  type OperationView,
  type Sent,
  readPlanned,
  orderStateOf,
} from './operations/operations.ts'
export {
  type Call,
  type OpenExecute,
  type KeyTier,
  type Principal,
  readPrincipal,
  type Scope,
  scopes,
  storePrincipal,
} from './call/call.ts'
export type { AuditEvent } from './audit/audit.ts'
export type { EngineObserver, StageFacts } from './context/engine.ts'
export { registryOf } from './calldata/calldata-forms.ts'
export { canonical } from './operations/plan-shown.ts'
export { type ChainAccess, openReads, openOrderClient, openTrading, type TradingOptions } from './open-reads.ts'
export type { ViewedCrossChain } from './cross-chain/open-cross-chain.ts'
export type { ViewedOrder } from './orders/settle-order.ts'
export { devnetPolicy, loadPolicy, type Policy } from './policy/policy.ts'
export { policyFaults, reportPolicy, openPolicySource, type PolicySource } from './policy/policy-source.ts'
export { isGranted, isPassing, serviceScopes, signInScopes, type SignedIn } from './policy/grants.ts'
export type { SharedKeys } from './leadership/leader-records.ts'
export { onStorage, refusedByStore, shortOf } from './call/refusal.ts'
export { type MostLost, mostLost, mostLostText, dailyAlertPct } from './spending/budgets.ts'
export type { RoleFacts } from './leadership/role.ts'
export { revertReason } from './simulation/revert-reason.ts'
export type { SafetyReport } from './verdict/safety-report.ts'
export { startSweeper } from './switches/sweeper.ts'
