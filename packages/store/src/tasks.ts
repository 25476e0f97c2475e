import { randomUUID } from 'node:crypto'
import type { CreateTableBuilder, Kysely, Selectable, Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import { keyKeptMs } from './operations/idempotency.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'

/** Calls that are answered later, and their outcomes. `now` gives Unix milliseconds. */
export function createTasks(engine: Engine, now: () => number): Tasks {
  return {
    outcomeBytes: taskBounds.outcomeBytes,
    add: (task) => engine.write('tasks', (trx) => add(trx, task, now())),
    async byId(owner, id) {
      const row = await engine.read((db) =>
        db
          .selectFrom('task')
          .selectAll()
          .where('id', '=', id)
          .where('owner', '=', owner)
          .where('expires_at', '>', BigInt(now()))
          .executeTakeFirst(),
      )
      return row === undefined ? null : toTask(row)
    },
    async byIds(owner, ids) {
      if (ids.length === 0) return []
      const rows = await engine.read((db) =>
        db
          .selectFrom('task')
          .selectAll()
          .where('id', 'in', ids)
          .where('owner', '=', owner)
          .where('expires_at', '>', BigInt(now()))
          .orderBy('sequence')
          .execute(),
      )
      return rows.map(toTask)
    },
    async open() {
      const rows = await engine.read((db) =>
        db
          .selectFrom('task')
          .selectAll()
          .where('state', '=', 'working')
          .where('expires_at', '>', BigInt(now()))
          .orderBy('sequence')
          .execute(),
      )
      return rows.map(toTask)
    },
    follow: (id, operationId) =>
      engine.write('tasks', (trx) => change(trx, id, { operation_id: operationId, updated_at: now() })),
    keepUntil: (id, expiresAt) =>
      engine.write('tasks', (trx) => change(trx, id, { expires_at: expiresAt, updated_at: now() })),
    askCancel: (id) => engine.write('tasks', (trx) => change(trx, id, { cancel_asked_at: now(), updated_at: now() })),
    end: (id, { state, outcome }) => {
      if (Buffer.byteLength(outcome ?? '') > taskBounds.outcomeBytes)
        throw new StoreError('RECORD_TOO_LARGE', `An outcome holds at most ${taskBounds.outcomeBytes} bytes.`)
      return engine.write('tasks', (trx) => change(trx, id, { state, outcome, updated_at: now() }))
    },
    async forgetExpired() {
      const isOver = (db: Kysely<Schema>) =>
        db.selectFrom('task').select('id').where('expires_at', '<=', BigInt(now())).limit(taskBounds.forgottenAtOnce)
      // Asked often, and mostly there is nothing: that writes nothing.
      if ((await engine.read((db) => isOver(db).execute())).length === 0) return []
      return engine.write('tasks', async (trx) => {
        const gone = (await isOver(trx).execute()).map(({ id }) => id)
        await trx.deleteFrom('task').where('id', 'in', gone).execute()
        return gone
      })
    },
  }
}

/** Beyond `kept` the oldest that has ended goes for a new one; beyond `open` there is no room. */
export const taskBounds = {
  ofOwner: { open: 20, kept: 100 },
  /** Of all together, strangers apart: however many of those come, they take no room from others. */
  ofKnown: { open: 200, kept: 2_000 },
  ofPassing: { open: 50, kept: 100 },
  outcomeBytes: 1_048_576,
  forgottenAtOnce: 500,
} as const

export type Tasks = {
  /** What an outcome may hold at most. */
  readonly outcomeBytes: number
  /** `null`, and nothing done, where too many have not ended. */
  add(task: NewTask): Promise<StoredTask | null>
  /** `null` for one of another owner, too, and for one whose time is over. */
  byId(owner: string, id: string): Promise<StoredTask | null>
  /** The same of several in one query, oldest first. */
  byIds(owner: string, ids: readonly string[]): Promise<readonly StoredTask[]>
  /** Whose whatsoever: those that have not ended, oldest first. */
  open(): Promise<readonly StoredTask[]>
  /** From here on an operation decides how it ends. `null` where it has ended, here as in the three that follow. */
  follow(id: string, operationId: string): Promise<StoredTask | null>
  askCancel(id: string): Promise<StoredTask | null>
  /** Until then, in Unix milliseconds, it is found. */
  keepUntil(id: string, expiresAt: number): Promise<StoredTask | null>
  end(id: string, end: TaskEnd): Promise<StoredTask | null>
  /** Those whose time is over, ended or not; gives their ids. */
  forgetExpired(): Promise<readonly string[]>
}

export type NewTask = {
  readonly owner: string
  /** Whether the owner is a stranger, of whom anybody makes as many as he likes. */
  readonly isPassing: boolean
  /** JSON, as are arguments and outcome: who asked, and with which rights. */
  readonly principal: string
  readonly tool: string
  readonly arguments: string
  readonly ttlMs: number
  /** The operation that decides how it ends, where there is one already. */
  readonly operationId?: string
}

export type TaskEnd = { readonly state: 'completed' | 'failed' | 'cancelled'; readonly outcome: string | null }

export type StoredTask = {
  readonly id: string
  readonly owner: string
  readonly principal: string
  readonly tool: string
  readonly arguments: string
  readonly state: 'working' | TaskEnd['state']
  readonly operationId: string | null
  readonly outcome: string | null
  /** Unix milliseconds, as all times here. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number
  /** Until then the idempotency key is kept that its call was made under; after that the same call would be another one. */
  readonly keyKeptUntil: number
  readonly cancelAskedAt: number | null
}

/** @param table with the number of each row */
export async function createTaskTable(
  db: Kysely<unknown>,
  table: CreateTableBuilder<'task', 'sequence'>,
): Promise<void> {
  await table
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('arguments', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('operation_id', 'text')
    .addColumn('outcome', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('cancel_asked_at', 'bigint')
    .execute()
  await db.schema.createIndex('task_of').on('task').columns(['owner', 'sequence']).execute()
  await db.schema.createIndex('task_state').on('task').columns(['state', 'sequence']).execute()
  await db.schema.createIndex('task_age').on('task').column('expires_at').execute()
}

/** Tasks of before, of whom nobody said, live on for two days as those of known callers. */
export async function addPassing(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('task')
    .addColumn('is_passing', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('task_room').on('task').columns(['is_passing', 'sequence', 'state']).execute()
}

async function add(trx: Transaction<Schema>, task: NewTask, at: number): Promise<StoredTask | null> {
  if (!(await makesRoom(trx, task))) return null
  const row = {
    id: randomUUID(),
    owner: task.owner,
    principal: task.principal,
    tool: task.tool,
    arguments: task.arguments,
    state: 'working' as const,
    operation_id: task.operationId ?? null,
    outcome: null,
    created_at: at,
    updated_at: at,
    expires_at: at + task.ttlMs,
    cancel_asked_at: null,
    is_passing: task.isPassing ? 1n : 0n,
  }
  return toTask(await trx.insertInto('task').values(row).returningAll().executeTakeFirstOrThrow())
}

async function makesRoom(trx: Transaction<Schema>, { owner, isPassing }: NewTask): Promise<boolean> {
  const own = await trx.selectFrom('task').select(roomColumns).where('owner', '=', owner).orderBy('sequence').execute()
  if (countOpen(own) >= taskBounds.ofOwner.open) return false
  const together = await trx
    .selectFrom('task')
    .select(roomColumns)
    .where('is_passing', '=', isPassing ? 1n : 0n)
    .orderBy('sequence')
    .execute()
  const bounds = isPassing ? taskBounds.ofPassing : taskBounds.ofKnown
  if (countOpen(together) >= bounds.open) return false
  const gone = new Set([...endedBeyond(own, taskBounds.ofOwner.kept), ...endedBeyond(together, bounds.kept)])
  if (gone.size > 0)
    await trx
      .deleteFrom('task')
      .where('sequence', 'in', [...gone])
      .execute()
  return true
}

const roomColumns = ['sequence', 'state'] as const
type RoomRow = Pick<TaskRow, (typeof roomColumns)[number]>

function countOpen(rows: readonly RoomRow[]): number {
  return rows.filter(({ state }) => state === 'working').length
}

/** Those that go for a new one, of rows from the oldest on. */
function endedBeyond(rows: readonly RoomRow[], kept: number): readonly bigint[] {
  const beyond = Math.max(0, rows.length - kept + 1)
  return rows.flatMap(({ sequence, state }) => (state === 'working' ? [] : [sequence])).slice(0, beyond)
}

/** Of one that has not ended. */
async function change(
  trx: Transaction<Schema>,
  id: string,
  set: Partial<Pick<TaskRow, 'state' | 'operation_id' | 'outcome'>> & {
    readonly updated_at: number
    readonly expires_at?: number
    readonly cancel_asked_at?: number
  },
): Promise<StoredTask | null> {
  const row = await trx
    .updateTable('task')
    .set(set)
    .where('id', '=', id)
    .where('state', '=', 'working')
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? null : toTask(row)
}

type TaskRow = Selectable<Schema['task']>

function toTask(row: TaskRow): StoredTask {
  return {
    id: row.id,
    owner: row.owner,
    principal: row.principal,
    tool: row.tool,
    arguments: row.arguments,
    state: row.state,
    operationId: row.operation_id,
    outcome: row.outcome,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    expiresAt: Number(row.expires_at),
    keyKeptUntil: Number(row.created_at) + keyKeptMs,
    cancelAskedAt: row.cancel_asked_at === null ? null : Number(row.cancel_asked_at),
  }
}
