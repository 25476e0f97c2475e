export type { BarChunk, BarsOf, BarStore } from './bar-store.ts'
export type { Budget, BudgetAmount } from './budget.ts'
export type { CheckRequest, SpendLimits } from './check-request.ts'
export type { Claim, ClaimScopes, ClaimState, NewClaim } from './claim.ts'
export type { ClaimCap, Claims, ClaimVerdict } from './claims.ts'
export type { GasCost } from './count-gas.ts'
export type { Idempotency, IdempotencyClaim } from './idempotency.ts'
export type { Ledger, RaiseRequest, ReserveRequest, SpendUsage } from './ledger.ts'
export type { Lease, LeaseRequest, Leases } from './leases.ts'
export type {
  NewOperation,
  Operation,
  OperationDecision,
  OperationQuery,
  Operations,
  OperationState,
} from './operations.ts'
export type { Outflow } from './outflows-since.ts'
export type { OpenReservation } from './open-reservations.ts'
export { openStore } from './open-store.ts'
export type { Store, StoreOptions, StorePlace } from './open-store.ts'
export type { Pins } from './pins.ts'
export type { PriceMemory, Sighting } from './price-memory.ts'
export type { RateLimits, RateRequest, RateVerdict } from './rate-limits.ts'
export { largestAmountUsdMicros } from './require-amount.ts'
export { acquireServerLock } from './server-lock.ts'
export type { ServerLock } from './server-lock.ts'
export type { SpendVerdict } from './spend-verdict.ts'
export { steadyClock } from './steady-clock.ts'
export { StoreError } from './store-error.ts'
export type { StoreErrorCode } from './store-error.ts'
export type { TokenAmounts } from './token-amounts.ts'
export type { OperatorRequest, RequestOutcome, StoredTransaction, Transactions } from './transactions.ts'
