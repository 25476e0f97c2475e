import { type Kysely, sql } from 'kysely'
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

/**
 * A clock that a step back of the machine's clock cannot turn back: it follows `wall` forwards, and when that falls
 * behind it goes on by `monotonic` alone until `wall` has caught up. So no window of time gets shorter than it is. A clock
 * that ran ahead and is put right keeps windows closed for as long as it was ahead, at most.
 *
 * @param wall Unix milliseconds.
 * @param monotonic Milliseconds from any start that never go back, for example `performance.now`.
 * @param notBefore Unix milliseconds of something that is known to have happened.
 */
export function steadyClock(wall: () => number, monotonic: () => number, notBefore = 0): () => number {
  let last = { at: Math.max(wall(), notBefore), read: monotonic() }
  return () => {
    const read = monotonic()
    last = { at: Math.max(wall(), last.at + Math.max(0, read - last.read)), read }
    return Math.floor(last.at)
  }
}
