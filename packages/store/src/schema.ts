import type { ColumnType, Generated } from 'kysely'
import type {
  Integer,
  NullableInteger,
  MemoryTable,
  WatchTable,
  WatchEventTable,
  TaskTable,
  SignInStateTable,
  SignInNonceTable,
  SignInKeyTable,
  SignInRevocationTable,
  ReservationBudgetTable,
  ReservationTable,
  SessionTable,
} from './tables.ts'

/** The tables as queries see them. Every integer is read as a bigint. */
export type Schema = {
  journal: JournalTable
  spending_session: SessionTable
  reservation: ReservationTable
  reservation_budget: ReservationBudgetTable
  idempotency: IdempotencyTable
  operation: OperationTable
  rate_use: RateUseTable
  rate_bucket: RateBucketTable
  claim: ClaimTable
  pin: PinTable
  block: BlockTable
  bar_chunk: BarChunkTable
  token_fact: TokenFactTable
  sighting_subject: SightingSubjectTable
  sighting: SightingTable
  signed_order: SignedOrderTable
  pending_revocation: PendingRevocationTable
  memory: MemoryTable
  watch: WatchTable
  watch_event: WatchEventTable
  task: TaskTable
  sign_in_state: SignInStateTable
  sign_in_nonce: SignInNonceTable
  sign_in_key: SignInKeyTable
  sign_in_revocation: SignInRevocationTable
  restored_copy: RestoredCopyTable
  leadership: LeadershipTable
  switch_state: SwitchStateTable
}

type JournalTable = {
  sequence: Generated<bigint>
  hash: string
  request_id: string
  step: Integer
  chain_id: Integer
  from_address: string
  nonce: Integer
  attempt: Integer
  raw_transaction: string
  reservation_id: string | null
  state: string
  /** Unix milliseconds, like every time here. */
  signed_at: Integer
  block_number: bigint | null
  block_hash: string | null
  gas_used: bigint | null
  /** What its gas was counted as in the spend ledger; `null` until it was. */
  gas_usd_micros: bigint | null
  /** What the reservation holds for gas above this attempt, the first of its step, since fees were raised. */
  covered_gas_usd_micros: Generated<bigint>
  /** What an operator asked about it: `cancel`, or the hash of what is said to have used its nonce up. */
  asked: string | null
  asked_by: string | null
  asked_at: ColumnType<bigint | null, number | null | undefined, number | null>
  asked_outcome: string | null
  /** JSON of a signed user operation, whose `nonce` is negative: -1 less that at the entry point; `null` for a transaction. */
  user_operation: string | null
  /** `private`, or `public` once it was; `null` for what goes to the public endpoints. */
  submission: string | null
}

type IdempotencyTable = {
  principal: string
  key: string
  body_hash: string
  request_id: string
  /** The open store that began it; another value than ours means an earlier process. */
  run: string
  /** running or done. */
  state: string
  answer: string | null
  /** The operation that the call left waiting: a repeat goes on with it. */
  operation_id: string | null
  created_at: Integer
}

type OperationTable = {
  sequence: Generated<bigint>
  id: string
  /** As written: `expired` is read from `expires_at`. */
  state: string
  principal_id: string
  principal: string
  tool: string
  input: string
  chain_id: Integer
  plan_hash: string
  plan: string
  intent: string
  spend_usd_micros: bigint
  expires_at: NullableInteger
  execute_after: NullableInteger
  created_at: Integer
  decided_by: string | null
  decided_at: NullableInteger
  request_id: string | null
  answer: string | null
  /** The state it was claimed from, while it runs. */
  claimed_from: string | null
  /** The open store that claimed it; another value than ours means an earlier process. */
  run: string | null
  /** When it was done, failed, denied or cancelled. */
  ended_at: NullableInteger
}

type RateUseTable = {
  sequence: Generated<bigint>
  key: string
  at: Integer
  /** When it leaves its window. */
  until: Integer
  cost: Integer
}

type RateBucketTable = {
  key: string
  /** In microseconds, of the clock that all who share the store go by. */
  full_at: Integer
  /** What the last lease got. */
  lent: Integer
}

type ClaimTable = {
  sequence: Generated<bigint>
  id: string
  chain_id: Integer
  /** Lower case. */
  address: string
  app_id: string
  /** The range of addresses it was asked from. */
  network: string
  amount_wei: string
  /** queued, sent, confirmed or failed. */
  state: string
  tx_hash: string | null
  created_at: Integer
  settled_at: NullableInteger
}

type PinTable = {
  cid: string
  app_id: string
  created_at: Integer
}

type BlockTable = {
  cid: string
  /** UTF-8. */
  content: string
  created_at: Integer
}

type BarChunkTable = {
  sequence: Generated<bigint>
  chain_id: Integer
  pool: string
  bar_seconds: Integer
  /** Unix seconds. */
  starts_at: Integer
  content: string
}

type TokenFactTable = {
  sequence: Generated<bigint>
  chain_id: Integer
  address: string
  content: string
  kept_at: Integer
}

type SightingSubjectTable = {
  id: Generated<bigint>
  chain_id: Integer
  subject: string
  /** Unix seconds of when it was last seen. */
  seen_at: Integer
}

type SightingTable = {
  subject_id: bigint
  /** The five minutes since 1970 that it fell into. */
  slot: Integer
  /** Unix seconds. */
  at_seconds: Integer
  /** JSON: decimal integers, as text, by name. */
  content: string
}

type SignedOrderTable = {
  sequence: Generated<bigint>
  /** `null` of what others fill by its signature. */
  kind: Generated<'cross_chain' | null>
  operation_id: string
  order_id: string
  request_id: string
  principal_id: string
  tool: string
  chain_id: Integer
  wallet: string
  reservation_id: string
  why: string
  spend_usd_micros: bigint
  /** JSON. */
  terms: string
  signature: string
  signed_at_block: bigint
  state: 'signed' | 'accepted' | 'filled' | 'expired' | 'cancelled' | 'refunded' | 'unopened' | 'lost'
  signed_at: Integer
  ended_at: NullableInteger
  /** JSON. */
  outcome: Generated<string | null>
}

type PendingRevocationTable = {
  sequence: Generated<bigint>
  /** All that tells one from another, in lower case. */
  key: string
  chain_id: bigint
  owner: `0x${string}`
  token: `0x${string}`
  spender: `0x${string}`
  /** Of the position that a permit gives a right over, as are the two below; `null` of an allowance. */
  token_id: string | null
  permit_nonce: string | null
  /** Unix seconds. */
  deadline: bigint | null
  failed_times: bigint | null
  failed_at: ColumnType<bigint | null, bigint | null, bigint | number | null>
  /** A number of a block. */
  ended_in: string | null
}

/** At most one row: who put the state back from a copy, when (ISO 8601), and of what it is. */
type RestoredCopyTable = { id: bigint; by: string; at: string; reason: string }

/** At most one row: which server writes, since when (Unix milliseconds), and where its audit log stands. */
type LeadershipTable = {
  id: bigint
  epoch: bigint
  holder: string | null
  place: string
  since: bigint
  audit_seq: bigint | null
  audit_hash: string | null
}

type SwitchStateTable = { name: string; content: string }
