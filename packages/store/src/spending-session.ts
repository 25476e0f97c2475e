import type { Kysely, Selectable } from 'kysely'
import type { Schema } from './schema.ts'

/** The session a spend of the principal would count in at `at`: the latest one, unless it was idle for `idleMs`. */
export async function currentSession(
  db: Kysely<Schema>,
  principal: string,
  idleMs: number,
  at: number,
): Promise<Session | undefined> {
  const latest = await latestSession(db, principal)
  return latest !== undefined && Number(latest.last_spend_at) > at - idleMs ? latest : undefined
}

/** The last session the principal opened, idle or not. */
export function latestSession(db: Kysely<Schema>, principal: string): Promise<Session | undefined> {
  const sessions = db.selectFrom('spending_session').selectAll().where('principal', '=', principal)
  return sessions.orderBy('id', 'desc').limit(1).executeTakeFirst()
}

/** When anything was last reserved or settled, in Unix milliseconds; 0 before the first time. */
export async function lastSpendAt(db: Kysely<Schema>): Promise<number> {
  const { latest } = await db
    .selectFrom('spending_session')
    .select((select) => select.fn.max('last_spend_at').as('latest'))
    .executeTakeFirstOrThrow()
  return Number(latest ?? 0)
}

export type Session = Selectable<Schema['spending_session']>
