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
import type { Pool, PoolClient } from 'pg'
import { isConnectionLost, postgresError, staleConnection, wasCutOff } from './postgres-error.ts'
import { toBindable } from '../engine.ts'

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
