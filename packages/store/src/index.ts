export type { BarChunk, BarsOf, BarStore, TokenOf, TokenStore } from './caches.ts'
export { type Budget, type BudgetAmount, largestAmountUsdMicros, type TokenAmounts } from './ledger/budget.ts'
export type { CheckRequest, SpendLimits, SpendVerdict } from './ledger/weigh-spend.ts'
export type { Claim, ClaimScopes, ClaimState, NewClaim } from './claims/claim.ts'
export type { ClaimCap, Claims, ClaimVerdict } from './claims/claims.ts'
export type { GasCost } from './ledger/count-gas.ts'
export { type Idempotency, type IdempotencyClaim } from './operations/idempotency.ts'
export type { Ledger, RaiseRequest, ReserveRequest, SpendUsage } from './ledger/ledger.ts'
export type { AuditHead, Leader, Leadership, Led } from './leadership.ts'
export { type Lease, type LeaseRequest, type Leases } from './leases.ts'
export { acquireServerLock, type ServerLock } from './server-lock.ts'
export type { SharedSwitches, SwitchName } from './shared-switches.ts'
export type {
  NewOperation,
  Operation,
  OperationDecision,
  OperationQuery,
  Operations,
  OperationState,
} from './operations/operations.ts'
export type { StoreJournal } from './journal/journal.ts'
export type { HeldReservation, OpenReservation, Outflow } from './ledger/reservations.ts'
export {
  memoryBounds,
  type Memory,
  type MemoryKind,
  type MemoryQuery,
  type MemoryRecord,
  type NewMemoryRecord,
  type OwnedRecord,
  type OwnMemory,
} from './memory.ts'
export type { NewSignedOrder, OrderEnd, OrderKind, SignedOrders, StoredOrder } from './orders/orders.ts'
export {
  type NewWatch,
  type OwnWatches,
  type StoredWatch,
  type StoredWatchEvent,
  watchBounds,
  type Watches,
  type WatchLook,
} from './watches.ts'
export { type NewTask, type StoredTask, taskBounds, type TaskEnd, type Tasks } from './tasks.ts'
export { openStore, type Store, type StoreOptions, type StorePlace, type Pins } from './open-store.ts'
export type { EndedRevocation, PendingRevocation, PendingRevocations } from './pending-revocations.ts'
export type { PriceMemory, Sighting } from './price-memory.ts'
export type { Leased, LeaseAsk, RateLeases } from './claims/rate-leases.ts'
export type { RateLimits, RateRequest, RateVerdict } from './claims/rate-limits.ts'
export type { PublishedKey, Revocation, SignIns, SignInState } from './sign-ins.ts'
export { steadyClock } from './store-time.ts'
export { StoreError, type StoreErrorCode } from './store-error.ts'
export type { OperatorRequest, RequestOutcome, StoredTransaction, Transactions } from './journal/transactions.ts'
export type { Restored, RestoredCopy } from './backup/restored-copy.ts'
