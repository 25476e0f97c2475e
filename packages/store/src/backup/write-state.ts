import { open } from 'node:fs/promises'
import { Kysely, Migrator, sql, type Transaction } from 'kysely'
import { Pool } from 'pg'
import { type Dialect, migrationsOf } from '../migrations.ts'
import type { StorePlace } from '../open-store.ts'
import { createPostgresDialect } from '../postgres/postgres-dialect.ts'
import { createPostgresLeases } from '../postgres/postgres-leases.ts'
import { createSqliteDialect } from '../sqlite/sqlite-dialect.ts'
import { openDatabase } from '../sqlite/sqlite-engine.ts'
import { StoreError } from '../store-error.ts'
import {
  createRowsDigest,
  readTables,
  type RowsDigest,
  type StateRow,
  type StateTable,
  stateTables,
  readState,
} from './read-state.ts'
import { noteRestored, type RestoredCopy } from './restored-copy.ts'

/**
 * Puts a copy of the state into an empty place, all of it in one commit, with the schema it was taken under; a server that opens it
 * brings that up to date. A database that holds exactly this copy already stays as it is, so that a restore that was cut off can be made
 * again. In the same commit stands `restored`, until it is released (see `createRestored`). Throws `LEASE_HELD` while a server runs on the database, `STORE_NOT_EMPTY` where it holds anything else,
 * `STORE_SCHEMA_UNKNOWN` for a copy of a newer version, and `STORE_COPY_DAMAGED` where not each row is what was copied.
 */
export async function writeState(place: StorePlace, copy: StateCopy, restored: RestoredCopy): Promise<void> {
  const known = Object.keys(migrationsOf({ name: 'sqlite' }))
  if (copy.steps.length === 0 || copy.steps.some((step, index) => step !== known[index])) {
    throw new StoreError('STORE_SCHEMA_UNKNOWN', 'The copy was made by a newer version of this program.')
  }
  if ('path' in place) await writeFile(place.path, copy, restored)
  else await writeDatabase(place.url, copy, restored)
}

export type StateCopy = {
  readonly steps: readonly string[]
  readonly tables: readonly CopiedTable[]
  rows(table: string): AsyncIterable<StateRow>
}

export type CopiedTable = StateTable & RowsDigest

async function writeFile(path: string, copy: StateCopy, restored: RestoredCopy): Promise<void> {
  await (await open(path, 'wx', 0o600)).close()
  const database = openDatabase(path)
  const db = new Kysely<unknown>({ dialect: createSqliteDialect(database) })
  try {
    database.exec('begin immediate')
    await migrateTo(db, { name: 'sqlite' }, copy)
    await fill(db, copy, 'sqlite')
    await noteRestored(db, restored)
    database.exec('commit')
    // One file, with nothing of it left in the log beside it.
    database.pragma('wal_checkpoint(truncate)')
  } finally {
    await db.destroy()
  }
  await requireSame(path, copy)
}

async function writeDatabase(url: string, copy: StateCopy, restored: RestoredCopy): Promise<void> {
  const leases = createPostgresLeases(url)
  const pool = new Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 10_000 })
  // Without a listener an error of a connection ends the process. Who uses it hears of it as well.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const db = new Kysely<unknown>({ dialect: createPostgresDialect(pool) })
  try {
    await leases.acquire({ name: 'server', holder: `svc restore, process ${process.pid}`, within: 'store' })
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
    await migrateTo(db, { name: 'postgres', schema: rows[0]?.schema ?? 'public' }, copy)
    await db.transaction().execute((trx) => putInto(trx, copy, restored))
  } finally {
    await db.destroy()
    await leases.close()
  }
}

/**
 * Behind locks that let others read and nobody write: servers that only read hold no lease, and keep what they have read. What they have
 * kept is replaced by that of the copy. Nothing is committed before all of it was read back.
 */
async function putInto(trx: Transaction<unknown>, copy: StateCopy, restored: RestoredCopy): Promise<void> {
  // Where the server of the database would answer before the disk has it.
  await sql`set local synchronous_commit = on`.execute(trx)
  const tables = copy.tables.map(({ name }) => sql.table(name))
  if (tables.length > 0) await sql`lock table ${sql.join(tables)} in share row exclusive mode`.execute(trx)
  for (const { name } of copy.tables) {
    if (readTables.has(name)) await sql`delete from ${sql.table(name)}`.execute(trx)
  }
  const isNew = await isEmpty(trx, copy)
  await fill(trx, { ...copy, tables: copy.tables.filter(({ name }) => isNew || readTables.has(name)) }, 'postgres')
  for (const table of copy.tables) {
    if ((await digestOf(trx, table)) === table.digest) continue
    if (isNew) throw damaged(table)
    throw notEmpty(`The database holds state already, and not that of this copy (${table.name}).`)
  }
  await noteRestored(trx, restored)
}

async function digestOf(trx: Transaction<unknown>, { name, columns }: StateTable): Promise<string> {
  const digest = createRowsDigest()
  const values = sql.join(columns.map((column) => sql`${sql.ref(column)}::text`))
  await sql`declare rows no scroll cursor for select array[${values}] as row from ${sql.table(name)}`.execute(trx)
  for (;;) {
    const { rows } = await sql<{ row: StateRow }>`fetch ${sql.lit(rowsAtOnce)} from rows`.execute(trx)
    for (const { row } of rows) digest.add(row)
    if (rows.length < rowsAtOnce) break
  }
  await sql`close rows`.execute(trx)
  return digest.read().digest
}

/** Not beyond: what changes with a later step changes in the rows that are there by then. */
async function migrateTo(db: Kysely<unknown>, dialect: Dialect, { steps }: StateCopy): Promise<void> {
  const last = steps.at(-1) ?? ''
  const all = migrationsOf(dialect)
  const upTo = Object.fromEntries(Object.entries(all).filter(([name]) => name <= last))
  const place = dialect.name === 'postgres' ? { migrationTableSchema: dialect.schema } : {}
  const migrator = new Migrator({ db, provider: { getMigrations: async () => upTo }, ...place })
  const { error } = await migrator.migrateToLatest()
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
    throw notEmpty('The database has tables of a newer version than the copy.', error)
  }
  if (error !== undefined) throw error
}

async function isEmpty(db: Kysely<unknown>, { tables }: StateCopy): Promise<boolean> {
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db)
    if (rows.length > 0) return false
  }
  return true
}

async function fill(
  db: Kysely<unknown> | Transaction<unknown>,
  copy: StateCopy,
  engine: Dialect['name'],
): Promise<void> {
  for (const name of stateTables) {
    const table = copy.tables.find((one) => one.name === name)
    if (table === undefined) continue
    for await (const rows of inBatches(copy.rows(name))) await insert(db, table, rows, engine)
    await goOnCounting(db, table, engine)
  }
}

async function* inBatches(rows: AsyncIterable<StateRow>): AsyncGenerator<readonly StateRow[]> {
  let batch: StateRow[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < rowsAtOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const rowsAtOnce = 200

async function insert(
  db: Kysely<unknown>,
  { name, columns }: StateTable,
  rows: readonly StateRow[],
  engine: Dialect['name'],
): Promise<void> {
  const numbered = engine === 'postgres' ? sql`overriding system value` : sql``
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(rows.map((row) => sql`(${sql.join(row)})`))
  await sql`insert into ${sql.table(name)} (${names}) ${numbered} values ${values}`.execute(db)
}

/** A number that a row had which is gone is given to none that comes. */
async function goOnCounting(db: Kysely<unknown>, table: StateTable, engine: Dialect['name']): Promise<void> {
  const { name, lastSequence } = table
  if (lastSequence === null) return
  if (engine === 'sqlite') {
    await sql`delete from sqlite_sequence where name = ${name}`.execute(db)
    await sql`insert into sqlite_sequence (name, seq) values (${name}, cast(${lastSequence} as integer))`.execute(db)
    return
  }
  const column = table.columns.includes('sequence') ? 'sequence' : 'id'
  const counter = sql`pg_get_serial_sequence(${name}, ${column})::regclass`
  // No rollback takes it back: it never falls behind rows that are there.
  const last = sql`greatest(${lastSequence}::bigint, coalesce(pg_sequence_last_value(${counter}), 0))`
  await sql`select setval(${counter}, ${last})`.execute(db)
}

/** Of a file in which nobody else writes. */
async function requireSame(path: string, copy: StateCopy): Promise<void> {
  const found = await readState({ path }, async ({ tables }) => {
    const digests = new Map<string, string>()
    for (const { name, rows } of tables) {
      const digest = createRowsDigest()
      for await (const row of rows()) digest.add(row)
      digests.set(name, digest.read().digest)
    }
    return digests
  })
  const other = copy.tables.find(({ name, digest }) => found.get(name) !== digest)
  if (other !== undefined) throw damaged(other)
}

function damaged({ name }: StateTable): StoreError {
  return new StoreError('STORE_COPY_DAMAGED', `Not each row of ${name} is as it was copied.`)
}

function notEmpty(message: string, cause?: unknown): StoreError {
  return new StoreError('STORE_NOT_EMPTY', `${message} Name an empty database or schema.`, { cause })
}
