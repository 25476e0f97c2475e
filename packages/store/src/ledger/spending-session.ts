import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { preparedRow } from '../engine.ts'
import type { Schema } from '../schema.ts'

/** The session a spend of the principal would count in at `at`: the latest one, unless it was idle for `idleMs`. */
export async function currentSession(
  db: Kysely<Schema>,
  principal: string,
  idleMs: number,
  at: number,
): Promise<Session | undefined> {
  const latest = await latestOf(db, { principal })
  return latest !== undefined && Number(latest.last_spend_at) > at - idleMs ? latest : undefined
}

/** The last session the principal opened, idle or not. */
const latestOf = preparedRow<{ readonly principal: string }, Session>((db, value) =>
  db
    .selectFrom('spending_session')
    .selectAll()
    .where('principal', '=', value('principal'))
    .orderBy('id', 'desc')
    .limit(1),
)

/** When anything was last reserved or settled, in Unix milliseconds; 0 before the first time. */
export async function lastSpendAt(db: Kysely<Schema>): Promise<number> {
  const { latest } = await db
    .selectFrom('spending_session')
    .select((select) => select.fn.max('last_spend_at').as('latest'))
    .executeTakeFirstOrThrow()
  return Number(latest ?? 0)
}

/** The session a spend at `at` counts in, which it keeps open: the current one, or a new one. */
export async function touchSession(
  trx: Transaction<Schema>,
  principal: string,
  idleMs: number,
  at: number,
): Promise<bigint> {
  const kept = await keepLatestOpen(trx, { principal, at, idleSince: BigInt(at - idleMs) })
  return kept?.id ?? openSession(trx, principal, at)
}

/** The session that counts what is known late, idle or not, and which that keeps open: the last one of the principal. */
export async function touchLatestSession(trx: Transaction<Schema>, principal: string, at: number): Promise<bigint> {
  const kept = await keepLatestOpen(trx, { principal, at, idleSince: -1n })
  return kept?.id ?? openSession(trx, principal, at)
}

export type Session = Selectable<Schema['spending_session']>

async function openSession(trx: Transaction<Schema>, principal: string, at: number): Promise<bigint> {
  const { id } = await trx
    .insertInto('spending_session')
    .values({ principal, opened_at: at, last_spend_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The latest session, unless it was idle since then. One statement finds and keeps it: a write asks twice. */
const keepLatestOpen = preparedRow<
  { readonly principal: string; readonly at: number; readonly idleSince: bigint },
  Pick<Session, 'id'>
>((db, value) =>
  db
    .updateTable('spending_session')
    .set({
      last_spend_at: sql<number>`case when last_spend_at > ${value('at')} then last_spend_at else ${value('at')} end`,
    })
    .where('id', '=', (latest) =>
      latest
        .selectFrom('spending_session')
        .select('id')
        .where('principal', '=', value('principal'))
        .orderBy('id', 'desc')
        .limit(1),
    )
    .where('last_spend_at', '>', value('idleSince'))
    .returning('id'),
)
