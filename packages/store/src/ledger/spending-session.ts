import type { Kysely, Selectable, Transaction } from 'kysely'
import { preparedQuery } from '../engine.ts'
import type { Schema } from '../schema.ts'

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
async function latestSession(db: Kysely<Schema>, principal: string): Promise<Session | undefined> {
  const [latest] = await latestOf(db, { principal })
  return latest
}

const latestOf = preparedQuery<{ readonly principal: string }, Session>((db, value) =>
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
  const session = await currentSession(trx, principal, idleMs, at)
  return session === undefined ? openSession(trx, principal, at) : extend(trx, session, at)
}

/** The session that counts what is known late, idle or not, and which that keeps open: the last one of the principal. */
export async function touchLatestSession(trx: Transaction<Schema>, principal: string, at: number): Promise<bigint> {
  const latest = await latestSession(trx, principal)
  return latest === undefined ? openSession(trx, principal, at) : extend(trx, latest, at)
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

async function extend(trx: Transaction<Schema>, session: Session, at: number): Promise<bigint> {
  const last_spend_at = Math.max(Number(session.last_spend_at), at)
  await keepOpen(trx, { id: session.id, lastSpendAt: last_spend_at })
  return session.id
}

const keepOpen = preparedQuery<{ readonly id: bigint; readonly lastSpendAt: number }, unknown>((db, value) =>
  db
    .updateTable('spending_session')
    .set({ last_spend_at: value('lastSpendAt') })
    .where('id', '=', value('id')),
)
