import Database from 'libsql'

/**
 * Opens a SQLite file. A write is on disk when its commit returns (WAL with full sync: about half a millisecond), and
 * integers are read as bigints. A busy database blocks the event loop, so the engine waits for a quarter of a second
 * only; longer waits are up to the caller.
 */
export function openDatabase(path: string): Database.Database {
  const database = new Database(path)
  try {
    database.defaultSafeIntegers(true)
    database.exec('pragma busy_timeout = 250')
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = full')
    database.exec('pragma foreign_keys = on')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}
