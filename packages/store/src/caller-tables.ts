/** What callers have the server keep, as queries see it: memory, watches, tasks, and how they sign in. */
import type { Generated } from 'kysely'
import type { Integer, NullableInteger } from './column-types.ts'

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
