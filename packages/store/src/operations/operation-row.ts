import { type Selectable, sql } from 'kysely'
import type { Operation, OperationState } from './operations.ts'
import type { Schema } from '../schema.ts'

/** A stored operation as everybody else knows it, at a time in Unix milliseconds. */
export function toOperation(row: OperationRow, at: number): Operation {
  return {
    id: row.id,
    state: stateOf(row, at),
    principalId: row.principal_id,
    principal: row.principal,
    tool: row.tool,
    input: row.input,
    chainId: Number(row.chain_id),
    planHash: row.plan_hash,
    plan: row.plan,
    intent: row.intent,
    spendUsdMicros: row.spend_usd_micros,
    expiresAt: toNumber(row.expires_at),
    executeAfter: toNumber(row.execute_after),
    createdAt: Number(row.created_at),
    decidedBy: row.decided_by,
    decidedAt: toNumber(row.decided_at),
    requestId: row.request_id,
    answer: row.answer,
  }
}

export type OperationRow = Selectable<Schema['operation']>

/** The states that end by themselves when their time is over. */
export const mayExpire: readonly string[] = ['planned', 'awaiting_approval', 'approved'] satisfies OperationState[]

/** The state at a time: `expired` is never written. */
export function stateOf(row: OperationRow, at: number): OperationState {
  const isExpired = mayExpire.includes(row.state) && row.expires_at !== null && Number(row.expires_at) <= at
  return isExpired ? 'expired' : (row.state as OperationState)
}

/** The same as `stateOf`, for a query. */
export function stateAt(at: number) {
  const expired = sql<boolean>`state in (${sql.join(mayExpire)}) and expires_at <= ${BigInt(at)}`
  return sql<string>`case when ${expired} then 'expired' else state end`
}

function toNumber(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}
