import type { Journal } from '@svc/wallet'
import { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createIdempotency, type Idempotency } from './idempotency.ts'
import { createJournal } from './journal.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { migrate } from './migrations.ts'
import type { Schema } from './schema.ts'
import { openDatabase } from './open-database.ts'
import { requireInPlace } from './require-in-place.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { whenFree } from './when-free.ts'

/**
 * Opens the durable state, creating file (mode 0600) and directory (0700) and bringing the schema up to date. What a
 * method has resolved is on disk. Several processes may have one file open; only one of them is a server (see
 * `acquireServerLock`). `now` gives Unix milliseconds. Throws `STORE_SCHEMA_UNKNOWN` for a file of a newer version. A
 * reservation or a signature is refused with `STORE_REPLACED` once the file was deleted or replaced.
 */
export async function openStore({ path, now }: StoreOptions): Promise<Store> {
  if (path !== ':memory:') await preparePrivateFile(path)
  const database = await whenFree(async () => openDatabase(path))
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(database) })
  try {
    await migrate(database, db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const inPlace = path === ':memory:' ? async () => undefined : await requireInPlace(path)
  const journal = createJournal(db, now)
  const ledger = createLedger(db, now)
  return {
    journal: { ...journal, recordSigned: (entry) => inPlace().then(() => journal.recordSigned(entry)) },
    ledger: { ...ledger, reserve: (request) => inPlace().then(() => ledger.reserve(request)) },
    idempotency: createIdempotency(db, now, randomUUID()),
    close: () => db.destroy(),
  }
}

export type StoreOptions = {
  /** A file, or `:memory:` for state that lasts as long as the store. */
  readonly path: string
  readonly now: () => number
}

export type Store = {
  readonly journal: Journal
  readonly ledger: Ledger
  readonly idempotency: Idempotency
  close(): Promise<void>
}

/** The engine gives the files beside it (write-ahead log, shared memory) the mode of the main one. */
async function preparePrivateFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'a', 0o600)
  await file.close()
  await chmod(path, 0o600)
}
