import { type Selectable, sql, type Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

/**
 * Writes that wait: planned and not carried out, for a person's word, for their time; and what became of them. A row is
 * the whole request, so that it can be carried out by another process than the one that took it.
 */
export type Operations = {
  /**
   * Under `terms`, one that waits is admitted in the same commit: one of the same call (principal, tool, `input`) that awaits
   * approval already is given back as it is, its expiry too, instead of a new one, and `OPERATION_LIMIT` is thrown when as many of
   * the principal wait as may. Throws `OPERATION_EXISTS` for an id used before.
   */
  create(operation: NewOperation, terms?: WaitingTerms): Promise<Operation>
  byId(id: string): Promise<Operation | null>
  /** Newest first. */
  list(query: OperationQuery): Promise<readonly Operation[]>
  /**
   * A person's word on an operation that awaits it, bound to the plan it was shown. Approved, it becomes `approved`, or
   * `scheduled` when it has a time to wait for. Throws `OPERATION_STATE` when it no longer awaits a decision (decided,
   * expired, cancelled) and `OPERATION_CHANGED` when `planHash` is not its own.
   */
  decide(id: string, decision: OperationDecision): Promise<Operation>
  /**
   * Takes an operation to carry it out, at most one taker ever: `planned` or `approved` and not expired, or `scheduled`
   * and due. With `goesOn` also one that first failed less than 24 hours ago, which keeps the request that it was first taken
   * for. Throws `OPERATION_STATE`.
   */
  claim(id: string, claim: { readonly requestId: string; readonly goesOn?: boolean }): Promise<Operation>
  /** Ends a running operation. The same end again changes nothing. Throws `OPERATION_STATE`. */
  finish(id: string, end: { readonly state: 'done' | 'failed'; readonly answer: string }): Promise<Operation>
  /** Puts a running operation back to where it was claimed from: nothing was signed. Throws `OPERATION_STATE`. */
  giveBack(id: string): Promise<Operation>
  /** Throws `OPERATION_STATE` once it runs or has ended. The same again changes nothing. */
  cancel(id: string, by: string): Promise<Operation>
  /** Those of some states: principals take turns, each in the order asked for, so that none can hide another's. */
  inTurns(query: TurnsQuery): Promise<readonly Operation[]>
  /** How many there are of some states, by principal and state; what there is none of is left out. */
  count(query: CountQuery): Promise<readonly OperationCount[]>
  /** Scheduled ones whose time has come: principals take turns, each one's earliest first. */
  due(limit: number): Promise<readonly Operation[]>
  /** Running ones that another run of the store claimed: their process is gone. */
  interrupted(): Promise<readonly Operation[]>
}

/**
 * planned (a dry run's), awaiting_approval -> approved or denied, scheduled -> running -> done or failed; cancelled and
 * expired (read from `expiresAt`, never written) from any state before running.
 */
export type OperationState =
  | 'planned'
  | 'awaiting_approval'
  | 'approved'
  | 'denied'
  | 'scheduled'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'expired'

export type NewOperation = {
  readonly id: string
  readonly state: 'planned' | 'awaiting_approval' | 'scheduled'
  /** Who asked; only the same may carry it out or cancel it. */
  readonly principalId: string
  /** The principal as JSON, to carry it out under the same rights later. */
  readonly principal: string
  readonly tool: string
  /** The parsed arguments as JSON. */
  readonly input: string
  readonly chainId: number
  readonly planHash: string
  /** What was shown, as JSON. */
  readonly plan: string
  /** The intent it stands for, as JSON. */
  readonly intent: string
  readonly spendUsdMicros: bigint
  /** Unix milliseconds after which it is no longer carried out; `null`: never. */
  readonly expiresAt: number | null
  /** Unix milliseconds before which it is not carried out; `null`: at once. */
  readonly executeAfter: number | null
}

export type Operation = Omit<NewOperation, 'state'> & {
  readonly state: OperationState
  readonly createdAt: number
  /** Who approved, denied or cancelled it, and when. */
  readonly decidedBy: string | null
  readonly decidedAt: number | null
  /** The request that carries it out. */
  readonly requestId: string | null
  /** Result or error envelope, as JSON, once it has ended. */
  readonly answer: string | null
}

export type OperationQuery = {
  /** `null` for all. */
  readonly principalId: string | null
  readonly states?: readonly OperationState[]
  /** Only those whose `decidedBy` begins so, for example `operator:`. */
  readonly decidedByPrefix?: string
  readonly limit: number
}

/** What holds for an operation that awaits approval or its time. */
export type WaitingTerms = {
  /** So many of one principal may await approval or their time. */
  readonly mostWaiting: number
  /** The key of the call that asks: bound to the operation in the same commit, until the key ends. */
  readonly idempotencyKey?: string
  /** Done last before a new one is committed; what it rejects with leaves nothing stored. It must not use the store. */
  readonly record?: () => Promise<void>
}

type TurnsQuery = {
  /** At least one. */
  readonly states: readonly OperationState[]
  /** Of one alone; all by default. */
  readonly principalId?: string
  readonly order: 'oldest' | 'newest'
  /** At most so many of each. */
  readonly perPrincipal: number
  readonly limit: number
}

export type CountQuery = {
  /** `null` for all. */
  readonly principalId: string | null
  /** At least one. */
  readonly states: readonly OperationState[]
}

type OperationCount = {
  readonly principalId: string
  readonly state: OperationState
  readonly count: number
}

export type OperationDecision = {
  readonly approved: boolean
  /** For example `operator:cli` or `client:<principal>`. */
  readonly by: string
  readonly planHash: string
}

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
