import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { type Pool, type PoolClient, DatabaseError } from 'pg'
import { toBindable } from '../engine.ts'
import { StoreError } from '../store-error.ts'

/**
 * PostgreSQL for Kysely over a pool of `pg`. A connection that failed is closed rather than given back, and what the
 * work said stays the error when the rollback after it fails as well; one that had been used before and was cut off since
 * says so (`isStaleConnection`). Parameters are those SQLite takes.
 */
export function createPostgresDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function createDriver(pool: Pool): Driver {
  const used = new WeakSet<PoolClient>()
  const releases = new WeakMap<DatabaseConnection, () => void>()
  const run = (connection: DatabaseConnection, text: string) => connection.executeQuery(CompiledQuery.raw(text))
  return {
    init: async () => {},
    async acquireConnection() {
      const [connection, release] = await connect(pool, used)
      releases.set(connection, release)
      return connection
    },
    async beginTransaction(connection, { isolationLevel = 'read committed' }: TransactionSettings) {
      await run(connection, `start transaction isolation level ${isolationLevel} read write`)
    },
    commitTransaction: async (connection) => void (await run(connection, 'commit')),
    rollbackTransaction: async (connection) => void (await run(connection, 'rollback').catch(() => {})),
    releaseConnection: async (connection) => releases.get(connection)?.(),
    destroy: () => pool.end(),
  }
}

async function connect(pool: Pool, used: WeakSet<PoolClient>): Promise<[DatabaseConnection, () => void]> {
  const client = await pool.connect().catch((error: unknown) => {
    throw postgresError(error)
  })
  const isFresh = !used.has(client)
  used.add(client)
  let lost: Error | undefined
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const bound = parameters.map(toBindable)
      try {
        const { command, rowCount, rows } = await client.query<Row & object>(sql, bound)
        // A commit of a transaction that failed before answers that it was rolled back, and does not fail.
        if (sql === 'commit' && command !== 'COMMIT')
          throw new TypeError('A transaction that had failed cannot be committed.')
        return { rows, ...(rowCount === null ? {} : { numAffectedRows: BigInt(rowCount) }) }
      } catch (error) {
        if (isConnectionLost(error)) lost = error instanceof Error ? error : new Error('lost', { cause: error })
        throw !isFresh && wasCutOff(error) ? staleConnection(error) : postgresError(error)
      }
    },
    streamQuery(): never {
      throw new TypeError('Rows here are few: nothing is streamed.')
    },
  }
  const release = () => client.release(lost)
  if (isFresh) {
    await connection.executeQuery(CompiledQuery.raw(likeTransactions)).catch((error: unknown) => {
      client.release(true)
      throw error
    })
  }
  return [connection, release]
}

/** A transaction says it itself; a statement alone would go by what the database or role is set to, and fail beside others or not write. */
const likeTransactions = 'set session characteristics as transaction isolation level read committed, read write'

/** What a failed query means: trouble that passes becomes `STORE_UNAVAILABLE`, a fault of ours stays what it is. */
export function postgresError(error: unknown): unknown {
  if (error instanceof StoreError || error instanceof TypeError) return error
  if (!(error instanceof DatabaseError)) return unavailable('The database cannot be reached.', error)
  const state = error.code ?? ''
  const reason = reasons.find(([pattern]) => pattern.test(state))?.[1]
  return reason === undefined ? error : unavailable(reason, error)
}

/** Whether the connection that failed so is of no more use: nothing that was said on it can be trusted to be over. */
function isConnectionLost(error: unknown): boolean {
  if (error instanceof TypeError) return false
  return !(error instanceof DatabaseError) || /^(08|57P)/.test(error.code ?? '')
}

/**
 * Whether the other end closed the connection, by its error or by the socket's. A query that took too long is not that:
 * the database may still be at it.
 */
function wasCutOff(error: unknown): boolean {
  if (error instanceof Error && error.message === 'Query read timeout') return false
  return isConnectionLost(error)
}

/** What a query on a connection out of the pool says that turned out to be closed meanwhile: another may work. */
function staleConnection(cause: unknown): StoreError {
  const stale = new StaleConnectionError('The connection was closed since it was last used.', { cause })
  return unavailable('The database is shutting down, starting or cut off.', stale)
}

export function isStaleConnection(error: unknown): boolean {
  return error instanceof StoreError && error.cause instanceof StaleConnectionError
}

class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError'
}

/** By SQLSTATE (appendix "PostgreSQL Error Codes" of its manual). */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'The database refuses the user or the password of its URL.'],
  [/^3D000/, 'There is no database of the name in its URL.'],
  [/^42501/, 'The user of the database may not do this.'],
  [/^25006/, 'The database takes no writes.'],
  [/^53100/, 'The disk of the database is full.'],
  [/^53/, 'The database has no room for another connection.'],
  [/^57014|^55P03|^25P0[34]/, 'The database took too long.'],
  [/^(08|57P|58)/, 'The database is shutting down, starting or cut off.'],
]

function unavailable(message: string, cause: unknown): StoreError {
  return new StoreError('STORE_UNAVAILABLE', message, { cause })
}
