import type { Generated } from 'kysely'
import type { Integer, NullableInteger } from '../column-types.ts'

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
