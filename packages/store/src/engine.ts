import type { Kysely, Transaction } from 'kysely'
import type { Leases } from './leases.ts'
import type { Schema } from './schema.ts'

/** What the tables stand on: the same queries run over embedded SQLite and over PostgreSQL. */
export type Engine = {
  /** Reads what is committed. Writes nothing. */
  read<Result>(work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result>
  /**
   * Does work in one transaction that has ended on disk when this resolves. Works under the same lock run one after the
   * other, each on what the one before committed, however many connections and processes there are.
   */
  write<Result>(lock: Lock, work: (trx: Transaction<Schema>) => Promise<Result>): Promise<Result>
  readonly leases: Leases
  /** Ends with the leases that are held. */
  close(): Promise<void>
}

/** What is serialised with each other; an engine may serialise more. `spend` covers the ledger and the journal. */
export type Lock = 'spend' | 'idempotency' | 'operations' | 'rate limits'
