import { chmod, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DefaultQueryExecutor, type Dialect, Kysely, Transaction } from 'kysely'
import Database from 'libsql'
import { makeDirectory } from '@svc/runtime'
import type { Durability, Engine } from '../engine.ts'
import { heldLease, type HeldLease, leaseHeld, type Leases } from '../leases.ts'
import { migrate } from '../migrations.ts'
import type { Schema } from '../schema.ts'
import { StoreError } from '../store-error.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'

/** Opens a file (mode 0600, its directory 0700) or `:memory:`, with the schema up to date. Every write is serialised. */
export async function openSqliteEngine(path: string): Promise<Engine> {
  if (path !== ':memory:') await preparePrivateFile(path)
  const database = await whenFree(async () => openDatabase(path))
  const dialect = createSqliteDialect(database)
  const db = new Kysely<Schema>({ dialect })
  try {
    // One transaction of the one connection, so that two processes opening a new file do it once between them. The
    // migrator brings none of its own on this engine.
    await whenFree(async () => database.exec('begin immediate'))
    await migrate(db, { name: 'sqlite' })
    database.exec('commit')
  } catch (error) {
    await db.destroy()
    throw error
  }
  const leases = createProcessLeases()
  const transact = await createTransact(database, dialect)
  const inTurn = createTurns()
  return {
    leases,
    read: (work) => inTurn(() => work(db)),
    write: (_lock, work, durability = 'at-once') => whenFree(() => inTurn(() => transact(work, durability))),
    writeStatement: (work) => whenFree(() => inTurn(() => transact(work, 'at-once'))),
    close: () => leases.close().then(() => db.destroy()),
  }
}

/** Works on the one connection run one after the other, so that none sees what another has not committed. A failure ends its own alone. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work)
    last = run.catch(() => undefined)
    return run
  }
}

/** One transaction object for all of them: what the builder does around each costs more than its statements. */
async function createTransact(
  database: Database.Database,
  dialect: Dialect,
): Promise<<Result>(work: (trx: Transaction<Schema>) => Promise<Result>, durability: Durability) => Promise<Result>> {
  const driver = dialect.createDriver()
  await driver.init()
  const connection = await driver.acquireConnection()
  const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
    provideConnection: (use) => use(connection),
  })
  const trx = new Transaction<Schema>({ config: { dialect }, dialect, driver, executor })
  const begin = createBegin(database)
  return async (work, durability) => {
    begin(durability)
    try {
      const result = await work(trx)
      database.exec('commit')
      return result
    } catch (error) {
      // A full disk ends a transaction by itself; what failed must not be hidden by a rollback that finds none.
      if (database.inTransaction) database.exec('rollback')
      throw error
    }
  }
}

/**
 * Begins a transaction whose commit waits for the disk or not; the setting cannot change within one. The write-ahead log is one
 * file, written and synced in the order of commits, so the next commit that waits takes one along that did not; after a loss of
 * power either both are there, or this one is not and nothing after it.
 */
function createBegin(database: Database.Database): (durability: Durability) => void {
  let now: Durability | null = 'at-once'
  return (durability) => {
    const isSet = durability === now
    // Another process may hold the database: then the setting is made and nothing begun.
    now = null
    const setting = isSet ? '' : `pragma synchronous = ${durability === 'at-once' ? 'full' : 'normal'};`
    database.exec(`${setting}begin immediate`)
    now = durability
  }
}

/** The engine gives the files beside it (write-ahead log, shared memory) the mode of the main one. */
async function preparePrivateFile(path: string): Promise<void> {
  makeDirectory(dirname(path))
  const file = await open(path, 'a', 0o600)
  await file.close()
  await chmod(path, 0o600)
}

/** Leases within this process: the lock of the data directory keeps other processes out. */
function createProcessLeases(): Leases & { close(): Promise<void> } {
  const held = new Map<string, HeldLease & { readonly holder: string }>()
  return {
    async acquire({ name, holder }) {
      const other = held.get(name)
      if (other !== undefined) throw leaseHeld(name, other.holder)
      const made = heldLease(name, async () => void held.delete(name))
      held.set(name, { ...made, holder })
      return made.lease
    },
    async close() {
      for (const { lose } of held.values()) lose()
      held.clear()
    },
  }
}

/**
 * Does work on the database, again while another process holds it for writing. Each try blocks the event loop for the
 * engine's busy timeout at most; between tries it runs. Throws `STORE_BUSY` after about ten seconds.
 */
async function whenFree<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (tries === mostTries) {
        throw new StoreError('STORE_BUSY', 'Another process keeps the database busy.', { cause: error })
      }
      await sleep(20 + 10 * tries)
    }
  }
}

const mostTries = 30

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code))
}

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
