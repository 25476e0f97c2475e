import { type ExpressionBuilder, type Kysely, type RawBuilder, sql, type Selectable, type Transaction } from 'kysely'
import { preparedQuery, preparedRow } from '../engine.ts'
import type { Schema } from '../schema.ts'

/**
 * What counts in the 24 hours before `at`, amounts and gas: every open reservation whatever its age, and
 * everything settled since. A spend leaves the window 24 hours after it was settled, which is never before its effect
 * on the chain, so no span of 24 hours sees effects above the cap. Of all principals, of one among them, and the gas of each kind.
 */
export async function sumOfDay(db: Kysely<Schema>, at: number, principal: string): Promise<SpentOfDay> {
  const row = await dayOf(db, { ...sinceDay(at), principal })
  const gasOf = (kind: GasKind) => row?.[kind] ?? 0n
  return { ...spentIn(row), principalUsdMicros: row?.own ?? 0n, gasOf }
}

// In one walk over the day.
const dayOf = preparedRow<
  Since & { readonly principal: string },
  SumRow & { readonly own: bigint } & Readonly<Record<GasKind, bigint>>
>((db, value) =>
  db
    .selectFrom('reservation')
    .select([
      ...sums(),
      countedOf(amountAndGas, sql`principal = ${value('principal')}`).as('own'),
      ...gasKinds.map((kind) => countedOf(gas, ofKind[kind]).as(kind)),
    ])
    .where((where) => countsInDay(where, value('since'))),
)

/** When the oldest of what is settled and counts leaves the same 24 hours, in Unix milliseconds; `null` where nothing settled counts. */
export async function dayFreesAt(
  db: Kysely<Schema>,
  at: number,
  of: { readonly principal?: string } = {},
): Promise<number | null> {
  const { oldest } = await db
    .selectFrom('reservation')
    .select((select) => select.fn.min('closed_at').as('oldest'))
    .where('state', '=', 'settled')
    .where('closed_at', '>', BigInt(at - dayMs))
    .where(sql<boolean>`coalesce(settled_usd_micros, 0) + coalesce(settled_gas_usd_micros, 0) > 0`)
    .$if(of.principal !== undefined, (query) => query.where('principal', '=', of.principal ?? ''))
    .executeTakeFirstOrThrow()
  return oldest === null ? null : Number(oldest) + dayMs
}

/** Of what counts in the same 24 hours, what is to fall once blocks are deep, in millionths of a US dollar; that of budgets left out. */
export async function sumOfHeld(db: Kysely<Schema>, at: number): Promise<bigint> {
  const { held } = await db
    .selectFrom('reservation')
    .select([heldAmount.as('held')])
    .where('lowered_usd_micros', 'is not', null)
    .where('closed_at', '>', sinceDay(at).since)
    .executeTakeFirstOrThrow()
  return held
}

/**
 * Of what brings funds home: all of it (`exit`), what was not asked to repay its gas (`plain-exit`), and what was and has not
 * (`due-exit`: it failed, brought less, or is still out), and the same of what passed as sure to come (`sure-exit`). What did is of the first
 * alone. Or of everything else.
 */
export type GasKind = (typeof gasKinds)[number]

const gasKinds = ['exit', 'plain-exit', 'due-exit', 'sure-exit', 'other'] as const

const ofKind: Readonly<Record<GasKind, RawBuilder<boolean>>> = {
  exit: sql`is_exit = 1`,
  'plain-exit': sql`is_exit = 1 and repayment is null`,
  'due-exit': sql`is_exit = 1 and repayment = 'due'`,
  'sure-exit': sql`is_exit = 1 and repayment = 'sure'`,
  other: sql`is_exit = 0`,
}

/**
 * When so much gas of one kind will have left the window, in Unix milliseconds; `null` where what is settled does not come to
 * as much. What is reserved still is not known to leave.
 */
export async function gasFreesAt(
  db: Kysely<Schema>,
  at: number,
  { kind, usdMicros }: { readonly kind: GasKind; readonly usdMicros: bigint },
): Promise<number | null> {
  const rows = await db
    .selectFrom('reservation')
    .select(['closed_at', 'settled_gas_usd_micros'])
    .where('state', '=', 'settled')
    .where('closed_at', '>', BigInt(at - dayMs))
    .where(ofKind[kind])
    .orderBy('closed_at')
    .execute()
  let freed = 0n
  for (const row of rows) {
    freed += row.settled_gas_usd_micros ?? 0n
    if (freed >= usdMicros) return Number(row.closed_at) + dayMs
  }
  return null
}

/** What counts of each budget in the same 24 hours, of all principals, by name; those of which nothing counts are left out. */
export async function sumOfBudgets(db: Kysely<Schema>, at: number): Promise<ReadonlyMap<string, bigint>> {
  const rows = await budgetSums(db, sinceDay(at))
  return new Map(rows.map((row) => [row.name, row.dollars * 1_000_000n + row.micros]))
}

// All names in one walk over the day: to look for each of some names takes longer, and the longer the more writes a day has.
const budgetSums = preparedQuery<Since, { readonly name: string; readonly dollars: bigint; readonly micros: bigint }>(
  (db, value) =>
    db
      .selectFrom('reservation')
      .innerJoin('reservation_budget', 'reservation_id', 'reservation.id')
      .select(['name', dollars.as('dollars'), microsBeside.as('micros')])
      .where((where) => countsInDay(where, value('since')))
      .groupBy('name'),
)

/**
 * What counts in a session of a principal: its settled spends and every open reservation of the principal, also one
 * that was made in a session before. Without a session (`null`) only the latter.
 */
export async function sumOfSession(db: Kysely<Schema>, principal: string, sessionId: bigint | null): Promise<Spent> {
  return spentIn(await sessionOf(db, { principal, session: sessionId ?? -1n }))
}

const sessionOf = preparedRow<{ readonly principal: string; readonly session: bigint }, SumRow>((db, value) =>
  db
    .selectFrom('reservation')
    .select(sums)
    .where('principal', '=', value('principal'))
    .where((where) =>
      where.or([
        where('state', '=', 'reserved'),
        where.and([where('state', '=', 'settled'), where('session_id', '=', value('session'))]),
      ]),
    ),
)

/** In millionths of a US dollar: amounts and gas together, and the gas among it. */
export type Spent = { readonly usdMicros: bigint; readonly gasUsdMicros: bigint }

/** Of all principals, amounts and gas of one among them, and the gas of each kind. */
export type SpentOfDay = Spent & { readonly principalUsdMicros: bigint; readonly gasOf: (kind: GasKind) => bigint }

const dayMs = 24 * 60 * 60 * 1000

type Since = { readonly since: bigint }

type SumRow = { readonly total: bigint; readonly gas: bigint }

/** Where the 24 hours before `at` begin. */
export function sinceDay(at: number): Since {
  return { since: BigInt(at - dayMs) }
}

function countsInDay(where: ExpressionBuilder<Schema, 'reservation'>, since: RawBuilder<bigint>) {
  return where.or([
    where('state', '=', 'reserved'),
    where.and([where('state', '=', 'settled'), where('closed_at', '>', since)]),
  ])
}

function spentIn(row: SumRow | undefined): Spent {
  return { usdMicros: row?.total ?? 0n, gasUsdMicros: row?.gas ?? 0n }
}

const gas = sql<bigint>`coalesce(settled_gas_usd_micros, reserved_gas_usd_micros)`

const amountAndGas = sql<bigint>`coalesce(settled_usd_micros, reserved_usd_micros) + ${gas}`

function countedOf(amount: RawBuilder<bigint>, which: RawBuilder<unknown> = sql`true`): RawBuilder<bigint> {
  return sql<bigint>`cast(coalesce(sum(${amount}) filter (where ${which}), 0) as bigint)`
}

const heldAmount = sql<bigint>`cast(coalesce(sum(settled_usd_micros - lowered_usd_micros), 0) as bigint)`

// No cap bounds how much a budget counts: in two parts the sum stays within 64 bits.
const dollars = sql<bigint>`cast(sum(usd_micros / 1000000) as bigint)`
const microsBeside = sql<bigint>`cast(sum(usd_micros % 1000000) as bigint)`

function sums() {
  return [countedOf(amountAndGas).as('total'), countedOf(gas).as('gas')] as const
}

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
