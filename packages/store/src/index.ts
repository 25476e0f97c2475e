export type { BarChunk, BarsOf, BarStore } from './bar-store.ts'
export type { Claim, ClaimCap, Claims, ClaimScopes, ClaimState, ClaimVerdict, NewClaim } from './claims.ts'
export type { GasCost } from './count-gas.ts'
export type { Idempotency, IdempotencyClaim } from './idempotency.ts'
export type {
  CheckRequest,
  Ledger,
  OpenReservation,
  RaiseRequest,
  ReserveRequest,
  SpendLimits,
  SpendUsage,
  SpendVerdict,
} from './ledger.ts'
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
export { openStore } from './open-store.ts'
export type { Store, StoreOptions, StorePlace } from './open-store.ts'
export type { Pins } from './pins.ts'
export type { RateLimits, RateRequest, RateVerdict } from './rate-limits.ts'
export { acquireServerLock } from './server-lock.ts'
export type { ServerLock } from './server-lock.ts'
export { steadyClock } from './steady-clock.ts'
export { StoreError } from './store-error.ts'
export type { StoreErrorCode } from './store-error.ts'
export type { OperatorRequest, RequestOutcome, StoredTransaction, Transactions } from './transactions.ts'
export { largestAmountUsdMicros } from './weigh-spend.ts'
