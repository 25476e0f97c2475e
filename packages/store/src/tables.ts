import type { Generated, ColumnType } from 'kysely'

/** What callers have the server keep, as queries see it: memory, watches, tasks, and how they sign in. */

export type MemoryTable = {
  sequence: Generated<bigint>
  id: string
  owner: string
  kind: 'episode' | 'insight' | 'feedback'
  chain_id: Integer
  pair: string
  subject: string | null
  /** Ten-thousandths. */
  confidence_e4: Integer
  /** JSON. */
  content: string
  /** Of the content, in UTF-8. */
  bytes: Integer
  created_at: Integer
  updated_at: Integer
}

export type WatchTable = {
  sequence: Generated<bigint>
  id: string
  owner: string
  /** JSON, as are conditions and state. */
  principal: string
  chain_id: Integer
  version: 'v3' | 'v4'
  position_id: string
  conditions: string
  state: string
  created_at: Integer
  ended_at: NullableInteger
}

export type WatchEventTable = {
  sequence: Generated<bigint>
  id: string
  watch_id: string
  owner: string
  kind: string
  /** JSON. */
  content: string
  created_at: Integer
  webhook: 'none' | 'pending' | 'delivered' | 'failed'
  /** How often its webhook was tried, the one under way included. */
  attempts: Integer
  next_attempt_at: NullableInteger
  settled_at: NullableInteger
}

export type TaskTable = {
  sequence: Generated<bigint>
  id: string
  owner: string
  /** JSON, as are arguments and outcome. */
  principal: string
  tool: string
  arguments: string
  state: 'working' | 'completed' | 'failed' | 'cancelled'
  operation_id: string | null
  outcome: string | null
  created_at: Integer
  updated_at: Integer
  expires_at: Integer
  cancel_asked_at: NullableInteger
  /** 1 of callers of whom anybody makes as many as he likes, else 0. */
  is_passing: Generated<bigint>
}

export type SignInStateTable = { name: string; value: string }

export type SignInNonceTable = { nonce: string; expires_at: Integer }

export type SignInKeyTable = {
  kid: string
  /** JSON. */
  public_jwk: string
  created_at: Integer
  accepted_until: Integer
}

export type SignInRevocationTable = {
  subject: string
  by: string
  revoked_at: Integer
  until: NullableInteger
}

/** Read as a bigint, written as a number. */
export type Integer = ColumnType<bigint, number, number>
export type NullableInteger = ColumnType<bigint | null, number | null, number | null>

export type SessionTable = {
  id: Generated<bigint>
  principal: string
  opened_at: Integer
  last_spend_at: Integer
}

export type ReservationTable = {
  id: string
  request_id: string
  principal: string
  chain_id: Integer
  session_id: bigint
  reserved_usd_micros: bigint
  settled_usd_micros: bigint | null
  /** Gas at its worst, beside the amount; the limits hold over the sum. */
  reserved_gas_usd_micros: Generated<bigint>
  /** Gas as receipts had it; `null` until it is settled. */
  settled_gas_usd_micros: bigint | null
  /** What the amount falls to once the blocks of its transactions are deep; `null` where nothing waits for that. */
  lowered_usd_micros: Generated<bigint | null>
  /** 1 where it only brings funds home, whose gas has a limit of its own, else 0. */
  is_exit: Generated<bigint>
  /**
   * `due` where it passed because what it is to bring home repays its gas, `sure` where that passed because nobody can keep it from
   * coming, `done` once it was settled and did; else `null`.
   */
  repayment: 'due' | 'sure' | 'done' | null
  /** What may leave by token, and once it is settled what left, gas among native currency; `null` where nobody said. */
  amounts: string | null
  /** reserved, settled or released. */
  state: string
  reserved_at: Integer
  closed_at: NullableInteger
}

/** Counts for as long as its reservation does. */
export type ReservationBudgetTable = {
  reservation_id: string
  name: string
  /** As reserved, and as it really was once that is known. */
  usd_micros: bigint
  /** What it falls to with its reservation; `null` where nothing waits. */
  lowered_usd_micros: Generated<bigint | null>
}
