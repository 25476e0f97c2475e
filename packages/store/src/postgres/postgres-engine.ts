import { Kysely, sql } from 'kysely'
import { Pool, types } from 'pg'
import type { Engine, Lock } from '../engine.ts'
import { migrate } from '../migrations.ts'
import { createPostgresDialect, isStaleConnection } from './postgres-dialect.ts'
import { createPostgresLeases } from './postgres-leases.ts'
import type { Schema } from '../schema.ts'
import { StoreError } from '../store-error.ts'

/**
 * Connects to PostgreSQL, with the schema up to date. A database that goes away makes calls fail with
 * `STORE_UNAVAILABLE`, and works again by itself once it is back. `patienceMs` is how long a call waits for a connection
 * and how long for its answer; ten and fifteen seconds when absent. Throws that, or `STORE_URL_INVALID`.
 */
export async function openPostgresEngine(url: string, patienceMs?: number): Promise<Engine> {
  requireUrl(url)
  const pool = new Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: patienceMs ?? 10_000,
    query_timeout: patienceMs ?? 15_000,
    keepAlive: true,
    fallback_application_name: 'svc',
    types: { getTypeParser: parserOf },
  })
  // Without a listener an error of a connection ends the process. Who uses the connection hears of it as well.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const db = new Kysely<Schema>({ dialect: createPostgresDialect(pool) })
  try {
    await migrateInTurn(db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const leases = createPostgresLeases(url)
  const alone = <Result>(work: (on: Kysely<Schema>) => Promise<Result>) =>
    untilFresh(
      () => work(db),
      () => true,
    )
  return {
    leases,
    read: alone,
    writeStatement: alone,
    async write(lock, work) {
      let begun = false
      let worked = false
      return await untilFresh(
        () =>
          db.transaction().execute(async (trx) => {
            await begin(lock).execute(trx)
            begun = true
            const result = await work(trx)
            worked = true
            return result
          }),
        () => !begun,
      ).catch((error: unknown) => {
        throw worked && isUnavailable(error) ? inDoubt(error) : error
      })
    },
    close: () => leases.close().then(() => db.destroy()),
  }
}

const mostConnections = 10

/**
 * Serialises, and makes the commit durable: a server or role may be set to answer before the disk has it. The limits
 * free the lock from a process that was stopped in the middle.
 */
function begin(lock: Lock) {
  return sql`select
    set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'
      else current_setting('synchronous_commit') end, true),
    set_config('idle_in_transaction_session_timeout', '6s', true),
    set_config('statement_timeout', '10s', true),
    pg_advisory_xact_lock(${lockKey(lock)})`
}

/** Two stores may share a database in schemas of their own. */
function lockKey(name: string) {
  return sql`hashtextextended(current_schema() || ' svc ' || ${name}::text, 0)`
}

/**
 * Connections may have died since they were last used, all of them at once when the database was restarted; whoever finds
 * out tries again on another, when that is safe, until it had one that was made for it. Nothing else is tried again.
 */
async function untilFresh<Result>(work: () => Promise<Result>, isSafe: () => boolean): Promise<Result> {
  for (let left = mostConnections; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !isStaleConnection(error) || !isSafe()) throw error
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STORE_UNAVAILABLE'
}

function inDoubt(cause: unknown): StoreError {
  const message = 'The database went away while it committed. Whether the write was done is not known yet.'
  return new StoreError('STORE_IN_DOUBT', message, { cause })
}

/** Under a lock of the session that holds it: of processes that open a new database at once, one makes the tables. */
async function migrateInTurn(db: Kysely<Schema>): Promise<void> {
  await db.connection().execute(async (holder) => {
    const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(holder)
    const schema = rows[0]?.schema ?? null
    if (schema === null) {
      throw new StoreError('STORE_URL_INVALID', 'The database has no schema of the name on the search path of its URL.')
    }
    await sql`select pg_advisory_lock(${lockKey('migrations')})`.execute(holder)
    try {
      await migrate(db, { name: 'postgres', schema })
    } finally {
      await sql`select pg_advisory_unlock(${lockKey('migrations')})`.execute(holder).catch(() => {})
    }
  })
}

function requireUrl(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : null
  if (protocol === 'postgres:' || protocol === 'postgresql:') return
  throw new StoreError('STORE_URL_INVALID', 'The URL of the database is not one of the form postgres://user@host/name.')
}

/** Integers of every width as bigints, for this pool alone. */
const parserOf: typeof types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  integerTypes.has(id) ? BigInt : format === 'binary' ? types.getTypeParser(id, 'binary') : types.getTypeParser(id)

/** int8, int2 and int4. */
const integerTypes: ReadonlySet<number> = new Set([20, 21, 23])
