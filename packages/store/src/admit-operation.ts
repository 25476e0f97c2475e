import type { Transaction } from 'kysely'
import { stateAt, type OperationRow } from './operation-row.ts'
import type { NewOperation, WaitingTerms } from './operations.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'

/**
 * Whether one more operation of a principal may wait. Gives the one that awaits approval already where the new one is
 * equal to it: the same plan of the same principal by the same tool, with or without a time to wait for. `null` where the
 * new one may be made. Throws `OPERATION_LIMIT` when as many wait as may. Plans that nobody waits for always pass.
 */
export async function admit(
  trx: Transaction<Schema>,
  operation: NewOperation,
  { mostWaiting }: WaitingTerms,
  at: number,
): Promise<OperationRow | null> {
  if (operation.state === 'planned') return null
  const equal = operation.state === 'awaiting_approval' ? await equalOf(trx, operation, at) : undefined
  if (equal !== undefined) return equal
  const waiting = await waitingOf(trx, operation.principalId, at)
  if (waiting < mostWaiting) return null
  const message = `Of this principal ${waiting} operations wait already; ${mostWaiting} may.`
  throw new StoreError('OPERATION_LIMIT', message)
}

function equalOf(
  trx: Transaction<Schema>,
  { principalId, tool, planHash, executeAfter }: NewOperation,
  at: number,
): Promise<OperationRow | undefined> {
  return trx
    .selectFrom('operation')
    .selectAll()
    .where('principal_id', '=', principalId)
    .where('tool', '=', tool)
    .where('plan_hash', '=', planHash)
    .where('execute_after', executeAfter === null ? 'is' : 'is not', null)
    .where(stateAt(at), '=', 'awaiting_approval')
    .orderBy('sequence')
    .executeTakeFirst()
}

/** One that is being carried out when its time has come may be put back, so that its place is kept. */
async function waitingOf(trx: Transaction<Schema>, principalId: string, at: number): Promise<number> {
  const { waiting } = await trx
    .selectFrom('operation')
    .select((count) => count.fn.countAll<bigint>().as('waiting'))
    .where('principal_id', '=', principalId)
    .where((where) =>
      where.or([
        where(stateAt(at), 'in', ['awaiting_approval', 'scheduled']),
        where.and([where('state', '=', 'running'), where('claimed_from', '=', 'scheduled')]),
      ]),
    )
    .executeTakeFirstOrThrow()
  return Number(waiting)
}
