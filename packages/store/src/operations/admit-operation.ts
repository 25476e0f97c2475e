import type { Transaction } from 'kysely'
import { stateAt, type OperationRow } from './operation-row.ts'
import type { NewOperation, WaitingTerms } from './operations.ts'
import type { Schema } from '../schema.ts'
import { StoreError } from '../store-error.ts'

/**
 * Whether one more operation of a principal may wait. Gives the one that awaits approval already where the new one is of
 * the same call: the same arguments of the same principal to the same tool, with or without a time to wait for, also where
 * prices have since made another plan of it, so that a person is never asked twice for one wish. `null` where the new one
 * may be made. Throws `OPERATION_LIMIT` when as many wait as may. Plans that nobody waits for always pass.
 */
export async function admit(
  trx: Transaction<Schema>,
  operation: NewOperation,
  { mostWaiting }: WaitingTerms,
  at: number,
): Promise<OperationRow | null> {
  if (operation.state === 'planned') return null
  const same = operation.state === 'awaiting_approval' ? await sameCall(trx, operation, at) : undefined
  if (same !== undefined) return same
  const waiting = await waitingOf(trx, operation.principalId, at)
  if (waiting < mostWaiting) return null
  const message = `Of this principal ${waiting} operations wait already; ${mostWaiting} may.`
  throw new StoreError('OPERATION_LIMIT', message)
}

function sameCall(
  trx: Transaction<Schema>,
  { principalId, tool, input, executeAfter }: NewOperation,
  at: number,
): Promise<OperationRow | undefined> {
  return trx
    .selectFrom('operation')
    .selectAll()
    .where('principal_id', '=', principalId)
    .where('tool', '=', tool)
    .where('input', '=', input)
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
