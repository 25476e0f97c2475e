import { type Kysely, sql } from 'kysely'
import { stateAt, type OperationRow } from './operation-row.ts'
import type { OperationCount, OperationState, TurnsQuery } from './operations.ts'
import type { Schema } from '../schema.ts'

/** Operations of some states: principals take turns, so that none hides another's. */
export function listInTurns(
  db: Kysely<Schema>,
  { principalId, states, order, perPrincipal, limit }: TurnsQuery,
  at: number,
): Promise<readonly OperationRow[]> {
  const turns = db
    .selectFrom('operation')
    .select(['sequence as place', turnBy(order === 'oldest' ? sql`sequence` : sql`sequence desc`).as('turn')])
    .$if(principalId !== undefined, (query) => query.where('principal_id', '=', principalId ?? ''))
    .where(stateAt(at), 'in', states)
  return db
    .selectFrom('operation')
    .innerJoin(turns.as('turns'), 'turns.place', 'operation.sequence')
    .selectAll('operation')
    .where('turn', '<=', BigInt(perPrincipal))
    .orderBy('turn')
    .orderBy('sequence', order === 'oldest' ? 'asc' : 'desc')
    .limit(limit)
    .execute()
}

/** Scheduled ones whose time has come: the first of every principal, then the second of every one. */
export function dueInTurns(db: Kysely<Schema>, limit: number, at: number): Promise<readonly OperationRow[]> {
  const turns = db
    .selectFrom('operation')
    .select(['sequence as place', turnBy(sql`execute_after, sequence`).as('turn')])
    .where('state', '=', 'scheduled')
    .where(sql<bigint>`coalesce(execute_after, 0)`, '<=', BigInt(at))
  return db
    .selectFrom('operation')
    .innerJoin(turns.as('turns'), 'turns.place', 'operation.sequence')
    .selectAll('operation')
    .orderBy('turn')
    .orderBy('execute_after')
    .orderBy('sequence')
    .limit(limit)
    .execute()
}

/** How many there are of some states, by principal and state. */
export async function countOperations(
  db: Kysely<Schema>,
  { principalId, states }: { readonly principalId: string | null; readonly states: readonly OperationState[] },
  at: number,
): Promise<readonly OperationCount[]> {
  const rows = await db
    .selectFrom('operation')
    .select(['principal_id', stateAt(at).as('state_now'), sql<bigint>`count(*)`.as('total')])
    .$if(principalId !== null, (query) => query.where('principal_id', '=', principalId ?? ''))
    .where(stateAt(at), 'in', states)
    .groupBy(['principal_id', 'state_now'])
    .orderBy('principal_id')
    .orderBy('state_now')
    .execute()
  return rows.map((row) => ({
    principalId: row.principal_id,
    state: row.state_now as OperationState,
    count: Number(row.total),
  }))
}

function turnBy(order: ReturnType<typeof sql>) {
  return sql<bigint>`row_number() over (partition by principal_id order by ${order})`
}
