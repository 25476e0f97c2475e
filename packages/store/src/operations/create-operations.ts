import { type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { StoreError } from '../store-error.ts'
import { keyKeptMs } from './idempotency.ts'
import {
  mayExpire,
  type OperationRow,
  stateAt,
  stateOf,
  toOperation,
  countOperations,
  dueInTurns,
  listInTurns,
  type NewOperation,
  type Operation,
  type Operations,
  type OperationState,
  type WaitingTerms,
} from './operations.ts'

/** Makes the `Operations` port over the table. `run` names this opening of the store, as for idempotency records. */
export function createOperations(engine: Engine, now: () => number, run: () => string): Operations {
  const change = (
    id: string,
    decide: (row: OperationRow, at: number) => Updateable<Table> | null,
  ): Promise<Operation> =>
    engine.write('operations', async (trx) => {
      const at = now()
      const row = await requireRow(trx, id)
      const set = decide(row, at)
      if (set === null) return toOperation(row, at)
      const changed = trx.updateTable('operation').set(set).where('id', '=', id).returningAll()
      return toOperation(await changed.executeTakeFirstOrThrow(), at)
    })

  return {
    create: (operation, terms) => engine.write('operations', (trx) => createIn(trx, operation, terms, now())),
    async byId(id) {
      const row = await engine.read((db) => rowOf(db, id))
      return row === undefined ? null : toOperation(row, now())
    },
    async list({ principalId, states, decidedByPrefix, limit }) {
      // PostgreSQL knows no empty list.
      if (states?.length === 0) return []
      const at = now()
      const prefix = decidedByPrefix ?? ''
      const rows = await engine.read((db) =>
        db
          .selectFrom('operation')
          .selectAll()
          .$if(principalId !== null, (query) => query.where('principal_id', '=', principalId ?? ''))
          .$if(states !== undefined, (query) => query.where(stateAt(at), 'in', states ?? []))
          .$if(decidedByPrefix !== undefined, (query) => query.where(startOfDecider(prefix.length), '=', prefix))
          .orderBy('sequence', 'desc')
          .limit(limit)
          .execute(),
      )
      return rows.map((row) => toOperation(row, at))
    },
    decide: (id, { approved, by, planHash }) =>
      change(id, (row, at) => {
        requireState(row, at, ['awaiting_approval'])
        if (row.plan_hash !== planHash) {
          throw new StoreError('OPERATION_CHANGED', `Operation ${id} is another plan than the one decided on.`)
        }
        const word = { decided_by: by, decided_at: at }
        if (!approved) return { ...word, state: 'denied', ended_at: at }
        return { ...word, state: row.execute_after === null ? 'approved' : 'scheduled' }
      }),
    claim: (id, { requestId, goesOn = false }) =>
      change(id, (row, at) => {
        // It keeps its request, by which everything that it has signed is found, and the time at which it first stopped.
        if (goesOn && mayGoOn(row, at)) return { state: 'running', answer: null, run: run() }
        requireState(row, at, ['planned', 'approved', 'scheduled'])
        if (row.state === 'scheduled' && Number(row.execute_after) > at) throw notNow(id, 'scheduled for later')
        return { state: 'running', claimed_from: row.state, request_id: requestId, run: run() }
      }),
    finish: (id, { state, answer }) =>
      change(id, (row, at) => {
        if (row.state === state && row.answer === answer) return null
        requireState(row, at, ['running'])
        return { state, answer, ended_at: row.ended_at === null ? at : Number(row.ended_at) }
      }),
    giveBack: (id) =>
      change(id, (row, at) => {
        requireState(row, at, ['running'])
        return { state: row.claimed_from ?? 'planned', claimed_from: null, request_id: null, run: null, ended_at: null }
      }),
    cancel: (id, by) =>
      change(id, (row, at) => {
        if (row.state === 'cancelled') return null
        requireState(row, at, ['planned', 'awaiting_approval', 'approved', 'scheduled'])
        return { state: 'cancelled', decided_by: by, decided_at: at, ended_at: at }
      }),
    async inTurns(query) {
      const at = now()
      const rows = await engine.read((db) => listInTurns(db, query, at))
      return rows.map((row) => toOperation(row, at))
    },
    count: (query) => engine.read((db) => countOperations(db, query, now())),
    async due(limit) {
      const at = now()
      const rows = await engine.read((db) => dueInTurns(db, limit, at))
      return rows.map((row) => toOperation(row, at))
    },
    async interrupted() {
      const rows = await engine.read((db) =>
        db
          .selectFrom('operation')
          .selectAll()
          .where('state', '=', 'running')
          .where('run', '<>', run())
          .orderBy('sequence')
          .execute(),
      )
      return rows.map((row) => toOperation(row, now()))
    },
  }
}

type Table = Schema['operation']

/** How long what has ended, and what expired, is still reported. */
const keptMs = 7 * 24 * 60 * 60 * 1000
/** A principal may plan without limit; only its newest plans are kept. */
const mostPlanned = 1_000

async function createIn(
  trx: Transaction<Schema>,
  operation: NewOperation,
  terms: WaitingTerms | undefined,
  at: number,
): Promise<Operation> {
  if ((await rowOf(trx, operation.id)) !== undefined) {
    throw new StoreError('OPERATION_EXISTS', `Operation ${operation.id} was made before.`)
  }
  const waiting = terms === undefined ? null : await admit(trx, operation, terms, at)
  if (waiting !== null) {
    await bindKey(trx, operation.principalId, waiting.id, terms)
    return toOperation(waiting, at)
  }
  await prune(trx, at)
  if (operation.state === 'planned') await makeRoom(trx, operation.principalId)
  const row = await trx
    .insertInto('operation')
    .values({
      id: operation.id,
      state: operation.state,
      principal_id: operation.principalId,
      principal: operation.principal,
      tool: operation.tool,
      input: operation.input,
      chain_id: operation.chainId,
      plan_hash: operation.planHash,
      plan: operation.plan,
      intent: operation.intent,
      spend_usd_micros: operation.spendUsdMicros,
      expires_at: operation.expiresAt,
      execute_after: operation.executeAfter,
      created_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await bindKey(trx, operation.principalId, operation.id, terms)
  await terms?.record?.()
  return toOperation(row, at)
}

async function bindKey(
  trx: Transaction<Schema>,
  principal: string,
  operationId: string,
  terms: WaitingTerms | undefined,
): Promise<void> {
  const key = terms?.idempotencyKey
  if (key === undefined) return
  const bound = trx.updateTable('idempotency').set({ operation_id: operationId })
  await bound.where((where) => where.and({ principal, key })).execute()
}

async function prune(trx: Transaction<Schema>, at: number): Promise<void> {
  const oldest = BigInt(at - keptMs)
  await trx.deleteFrom('operation').where('state', '<>', 'running').where('ended_at', '<=', oldest).execute()
  await trx.deleteFrom('operation').where('state', 'in', mayExpire).where('expires_at', '<=', oldest).execute()
}

async function makeRoom(trx: Transaction<Schema>, principalId: string): Promise<void> {
  const planned = trx
    .selectFrom('operation')
    .select('sequence')
    .where('principal_id', '=', principalId)
    .where('state', '=', 'planned')
  const last = await planned
    .orderBy('sequence', 'desc')
    .offset(mostPlanned - 1)
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) return
  await trx
    .deleteFrom('operation')
    .where('principal_id', '=', principalId)
    .where('state', '=', 'planned')
    .where('sequence', '<=', last.sequence)
    .execute()
}

function rowOf(db: Kysely<Schema>, id: string): Promise<OperationRow | undefined> {
  return db.selectFrom('operation').selectAll().where('id', '=', id).executeTakeFirst()
}

async function requireRow(db: Kysely<Schema>, id: string): Promise<OperationRow> {
  const row = await rowOf(db, id)
  if (row === undefined) throw new StoreError('OPERATION_UNKNOWN', `There is no operation ${id}.`)
  return row
}

function requireState(row: OperationRow, at: number, allowed: readonly OperationState[]): void {
  const state = stateOf(row, at)
  if (!allowed.includes(state)) throw notNow(row.id, state)
}

function mayGoOn({ state, request_id: requestId, ended_at: endedAt }: OperationRow, at: number): boolean {
  return state === 'failed' && requestId !== null && endedAt !== null && Number(endedAt) > at - keyKeptMs
}

function notNow(id: string, state: string): StoreError {
  return new StoreError('OPERATION_STATE', `Operation ${id} is ${state.replace('_', ' ')}.`)
}

/** The first characters of who decided. Unlike `like`, `substr` is the same on both engines. */
function startOfDecider(characters: number) {
  return sql<string>`substr(decided_by, 1, ${sql.lit(characters)})`
}

/**
 * Whether one more operation of a principal may wait. Gives the one that awaits approval already where the new one is of
 * the same call: the same arguments of the same principal to the same tool, with or without a time to wait for, also where
 * prices have since made another plan of it, so that a person is never asked twice for one wish. `null` where the new one
 * may be made. Throws `OPERATION_LIMIT` when as many wait as may. Plans that nobody waits for always pass.
 */
async function admit(
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
