import { sql, type Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** Unix milliseconds by the clock that all who share the store go by; `db` is where the work is done that wants to know. */
export type StoreTime = (db: Kysely<Schema>) => Promise<number>

/** The clock of PostgreSQL, as it is when asked and not when the transaction began, which may have waited for its turn. */
export const postgresTime: StoreTime = async (db) => {
  const { rows } = await sql<{
    at: bigint
  }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at`.execute(db)
  return Number(rows[0]?.at)
}
