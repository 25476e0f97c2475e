import type { Journal } from '@svc/wallet'
import { randomUUID } from 'node:crypto'
import { createOperations } from './create-operations.ts'
import { createIdempotency, type Idempotency } from './idempotency.ts'
import { createJournal } from './journal.ts'
import { createLedger, type Ledger } from './ledger.ts'
import type { Operations } from './operations.ts'
import { requireInPlace } from './require-in-place.ts'
import { openSqliteEngine } from './sqlite-engine.ts'

/**
 * Opens the durable state, creating file (mode 0600) and directory (0700) and bringing the schema up to date. What a
 * method has resolved is on disk. Several processes may have one file open; only one of them is a server (see
 * `acquireServerLock`). `now` gives Unix milliseconds. Throws `STORE_SCHEMA_UNKNOWN` for a file of a newer version. A
 * reservation or a signature is refused with `STORE_REPLACED` once the file was deleted or replaced.
 */
export async function openStore({ path, now }: StoreOptions): Promise<Store> {
  const engine = await openSqliteEngine(path)
  const inPlace = path === ':memory:' ? async () => undefined : await requireInPlace(path)
  const run = randomUUID()
  const journal = createJournal(engine, now)
  const ledger = createLedger(engine, now)
  return {
    journal: { ...journal, recordSigned: (entry) => inPlace().then(() => journal.recordSigned(entry)) },
    ledger: { ...ledger, reserve: (request) => inPlace().then(() => ledger.reserve(request)) },
    idempotency: createIdempotency(engine, now, run),
    operations: createOperations(engine, now, run),
    close: () => engine.close(),
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
  readonly operations: Operations
  close(): Promise<void>
}
