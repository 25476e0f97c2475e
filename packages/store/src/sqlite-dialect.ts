import { SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Dialect, SqliteDatabase, SqliteStatement } from 'kysely'
import type Database from 'libsql'
import { toBindable } from './to-bindable.ts'

/**
 * SQLite for Kysely over libsql, with the traps of that pair closed:
 * - transactions begin immediate, and by `exec`: a prepared statement that fails because the database is busy keeps its
 *   connection locked out until the garbage collector finds it
 * - for the same reason a write outside a transaction is refused
 * - parameters are mapped (a boolean would kill the process, an integer number would be stored as a float) or refused
 *   (undefined and NaN would become null, text would end at its first NUL)
 */
export function createSqliteDialect(database: Database.Database): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver({ database: wrap(database) }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function wrap(database: Database.Database): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare: (sql) =>
      sql === 'begin' || sql === 'commit' || sql === 'rollback'
        ? command(database, sql)
        : wrapStatement(database, database.prepare(sql)),
  }
}

function command(database: Database.Database, sql: 'begin' | 'commit' | 'rollback'): SqliteStatement {
  return {
    reader: false,
    run: () => {
      database.exec(sql === 'begin' ? 'begin immediate' : sql)
      return { changes: 0, lastInsertRowid: 0 }
    },
    all: () => [],
    iterate: () => [].values(),
  }
}

function wrapStatement(database: Database.Database, statement: Database.Statement): SqliteStatement {
  return {
    reader: statement.reader,
    run: (parameters) => {
      if (!database.inTransaction) throw new TypeError('A write needs a transaction.')
      return statement.run(parameters.map(toBindable))
    },
    all: (parameters) => statement.all(parameters.map(toBindable)),
    // An iterator left half-way would hold its snapshot; rows here are few.
    iterate: (parameters) => statement.all(parameters.map(toBindable)).values(),
  }
}
