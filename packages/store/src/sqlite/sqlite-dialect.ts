import {
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely'
import type Database from 'libsql'
import { runAtOnce, type RunsAtOnce, toBindable } from '../engine.ts'

/**
 * SQLite for Kysely over libsql, with the traps of that pair closed:
 * - transactions begin immediate, and by `exec`: a prepared statement that fails because the database is busy keeps its
 *   connection locked out until the garbage collector finds it
 * - for the same reason a write outside a transaction is refused
 * - statements are prepared once per connection and kept until they fail: every one is run to its end, so that none holds
 *   a snapshot or a lock while it is kept; of one row it is read in one step into the engine instead of two
 * - parameters are mapped (a boolean would kill the process, an integer number would be stored as a float) or refused
 *   (undefined and NaN would become null, text would end at its first NUL)
 */
export function createSqliteDialect(database: Database.Database): Dialect {
  const wrapped = wrap(database)
  const adapter = Object.assign(new SqliteAdapter(), { [runAtOnce]: atOnceOn(database, wrapped) })
  return {
    createAdapter: () => adapter,
    createDriver: () => new SqliteDriver({ database: wrapped }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function atOnceOn(database: Database.Database, wrapped: SqliteDatabase): RunsAtOnce {
  const single = keepStatements((sql, forget) => firstRowOf(database.prepare(sql), forget))
  return {
    all: (text, parameters) => {
      const statement = wrapped.prepare(text)
      if (statement.reader) return statement.all(parameters)
      statement.run(parameters)
      return []
    },
    first: (text, parameters) => single.prepare(text)(parameters),
  }
}

function wrap(database: Database.Database): SqliteDatabase {
  const kept = keepStatements((sql, forget) => wrapStatement(database, database.prepare(sql), forget))
  return {
    close: () => {
      kept.clear()
      database.close()
    },
    prepare: (sql) =>
      sql === 'begin' || sql === 'commit' || sql === 'rollback' ? command(database, sql) : kept.prepare(sql),
  }
}

/** `prepare` is given what forgets the statement it makes. */
function keepStatements<Statement>(prepare: (sql: string, forget: () => void) => Statement) {
  const kept = new Map<string, Statement>()
  return {
    clear: () => kept.clear(),
    prepare: (sql: string): Statement => {
      const known = kept.get(sql)
      if (known !== undefined) return known
      const statement = prepare(sql, () => kept.delete(sql))
      if (kept.size >= mostKept) kept.clear()
      kept.set(sql, statement)
      return statement
    },
  }
}

/** Far more than the store has queries; lists of values make their number grow. */
const mostKept = 200

function command(database: Database.Database, sql: 'begin' | 'commit' | 'rollback'): SqliteStatement {
  return {
    reader: false,
    run: () => {
      // A full disk ends a transaction by itself; what failed must not be hidden by a rollback that finds none.
      if (sql !== 'rollback' || database.inTransaction) database.exec(sql === 'begin' ? 'begin immediate' : sql)
      return { changes: 0, lastInsertRowid: 0 }
    },
    all: () => [],
    iterate: () => [].values(),
  }
}

function wrapStatement(
  database: Database.Database,
  statement: Database.Statement,
  forget: () => void,
): SqliteStatement {
  const all = (parameters: readonly unknown[]) => {
    const bound = parameters.map(toBindable)
    return forgottenOnFailure(forget, () => statement.all(bound))
  }
  return {
    reader: statement.reader,
    run: (parameters) => {
      if (!database.inTransaction) throw new TypeError('A write needs a transaction.')
      const bound = parameters.map(toBindable)
      return forgottenOnFailure(forget, () => statement.run(bound))
    },
    all,
    // An iterator left half-way would hold its snapshot; rows here are few.
    iterate: (parameters) => all(parameters).values(),
  }
}

/** As values alone: of a row by its names the engine makes one that has a member of its own. */
function firstRowOf(statement: Database.Statement, forget: () => void) {
  statement.raw(true)
  let names: readonly string[] = []
  return (parameters: readonly unknown[]): unknown => {
    const bound = parameters.map(toBindable)
    const values = forgottenOnFailure(forget, () => statement.get(bound)) as readonly unknown[] | undefined
    if (values === undefined) return undefined
    // Asked with the first row, and again where a table was altered since.
    if (values.length !== names.length) names = statement.columns().map(({ name }) => name)
    const row: Record<string, unknown> = {}
    for (const [index, name] of names.entries()) row[name] = values[index]
    return row
  }
}

function forgottenOnFailure<Result>(forget: () => void, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    forget()
    throw error
  }
}
