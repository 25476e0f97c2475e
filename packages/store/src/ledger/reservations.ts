import type { ExpressionBuilder, Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { preparedQuery, preparedRow, preparedSearch } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { readAmounts, type TokenAmounts, type BudgetAmount, lowerBudgets } from './budget.ts'
import { StoreError } from '../store-error.ts'
import { sinceDay } from './spent.ts'

/** Reservations neither settled nor released. */
export async function openReservations(db: Kysely<Schema>): Promise<readonly OpenReservation[]> {
  const rows = await openRows(db, {})
  // A write begins with this question, and most find none.
  const held = rows.length === 0 ? [] : await openBudgets(db, {})
  return rows.map((row) => ({
    id: row.id,
    requestId: row.request_id,
    principal: row.principal,
    chainId: Number(row.chain_id),
    amountUsdMicros: row.reserved_usd_micros,
    gasUsdMicros: row.reserved_gas_usd_micros,
    isExit: row.is_exit === 1n,
    reservedAt: Number(row.reserved_at),
    budgets: held
      .filter(({ reservation_id }) => reservation_id === row.id)
      .map(({ name, usd_micros }) => ({ name, usdMicros: usd_micros })),
  }))
}

const openRows = preparedSearch<Readonly<Record<string, unknown>>, Reservation>((db) =>
  db.selectFrom('reservation').selectAll().where('state', '=', 'reserved'),
)

const openBudgets = preparedQuery<Readonly<Record<string, unknown>>, Selectable<Schema['reservation_budget']>>((db) =>
  db
    .selectFrom('reservation_budget')
    .innerJoin('reservation', 'reservation.id', 'reservation_id')
    .select(['reservation_id', 'name', 'usd_micros'])
    .where('state', '=', 'reserved')
    .orderBy('name'),
)

export type OpenReservation = {
  readonly id: string
  readonly requestId: string
  readonly principal: string
  readonly chainId: number
  readonly amountUsdMicros: bigint
  readonly gasUsdMicros: bigint
  /** Whether it only brings funds home. */
  readonly isExit: boolean
  readonly reservedAt: number
  /** What it holds of budgets; those of which it holds nothing are left out. */
  readonly budgets: readonly BudgetAmount[]
}

/** Throws `RESERVATION_NOT_OPEN`. */
export async function requireReservation(trx: Transaction<Schema>, id: string): Promise<Reservation> {
  const row = await reservationOf(trx, { id })
  if (row === undefined) throw new StoreError('RESERVATION_NOT_OPEN', `There is no reservation ${id}.`)
  return row
}

/** Throws `RESERVATION_NOT_OPEN`. */
export function requireReserved(row: Reservation): void {
  if (row.state === 'reserved') return
  throw new StoreError('RESERVATION_NOT_OPEN', `Reservation ${row.id} is ${row.state} already.`)
}

/** Throws `RESERVATION_IN_USE`. */
export async function requireNothingOut(trx: Transaction<Schema>, id: string): Promise<void> {
  const order = await trx
    .selectFrom('signed_order')
    .select('order_id')
    .where('reservation_id', '=', id)
    .where('state', 'in', ['signed', 'accepted'])
    .executeTakeFirst()
  if (order !== undefined) {
    throw new StoreError('RESERVATION_IN_USE', `Order ${order.order_id} draws on reservation ${id}.`)
  }
  const out = await trx
    .selectFrom('journal')
    .select('hash')
    .where('reservation_id', '=', id)
    .where('state', 'in', ['signed', 'broadcast', 'mined', 'final', 'reverted', 'refused'])
    .executeTakeFirst()
  if (out === undefined) return
  throw new StoreError('RESERVATION_IN_USE', `Transaction ${out.hash} draws on reservation ${id}; settle it instead.`)
}

export const reservationOf = preparedRow<{ readonly id: string }, Reservation>((db, value) =>
  db.selectFrom('reservation').selectAll().where('id', '=', value('id')),
)

export type Reservation = Selectable<Schema['reservation']>

export const insertReservation = preparedQuery<Omit<Required<Insertable<Schema['reservation']>>, NotReserved>, unknown>(
  (db, value) =>
    db.insertInto('reservation').values({
      id: value('id'),
      request_id: value('request_id'),
      principal: value('principal'),
      chain_id: value('chain_id'),
      session_id: value('session_id'),
      reserved_usd_micros: value('reserved_usd_micros'),
      reserved_gas_usd_micros: value('reserved_gas_usd_micros'),
      is_exit: value('is_exit'),
      repayment: value('repayment'),
      amounts: value('amounts'),
      state: 'reserved',
      reserved_at: value('reserved_at'),
    }),
)

type NotReserved = 'state' | 'closed_at' | 'settled_usd_micros' | 'settled_gas_usd_micros' | 'lowered_usd_micros'

export const settleReservation = preparedQuery<
  Pick<
    Reservation,
    | 'id'
    | 'settled_usd_micros'
    | 'settled_gas_usd_micros'
    | 'lowered_usd_micros'
    | 'amounts'
    | 'session_id'
    | 'repayment'
  > & { readonly closed_at: number },
  unknown
>((db, value) =>
  db
    .updateTable('reservation')
    .set({
      state: 'settled',
      settled_usd_micros: value('settled_usd_micros'),
      settled_gas_usd_micros: value('settled_gas_usd_micros'),
      lowered_usd_micros: value('lowered_usd_micros'),
      amounts: value('amounts'),
      session_id: value('session_id'),
      repayment: value('repayment'),
      closed_at: value('closed_at'),
    })
    .where('id', '=', value('id')),
)

/** What is settled, counts in the 24 hours before `at` and is to fall. */
export async function heldReservations(
  db: Kysely<Schema>,
  chainId: number,
  at: number,
): Promise<readonly HeldReservation[]> {
  const rows = await heldRows(db, { chainId: BigInt(chainId), since: sinceDay(at).since })
  return rows.map(({ id, request_id, settled_usd_micros, lowered_usd_micros }) => ({
    id,
    requestId: request_id,
    heldUsdMicros: (settled_usd_micros ?? 0n) - (lowered_usd_micros ?? 0n),
  }))
}

const heldRows = preparedQuery<
  { readonly chainId: bigint; readonly since: bigint },
  Pick<Reservation, 'id' | 'request_id' | 'settled_usd_micros' | 'lowered_usd_micros'>
>((db, value) =>
  db
    .selectFrom('reservation')
    .select(['id', 'request_id', 'settled_usd_micros', 'lowered_usd_micros'])
    .where('lowered_usd_micros', 'is not', null)
    .where('chain_id', '=', value('chainId'))
    .where('closed_at', '>', value('since')),
)

/** What counts as it was reserved until the blocks of its transactions are deep. */
export type HeldReservation = {
  readonly id: string
  readonly requestId: string
  /** How much more counts than will then; of budgets there may be more. */
  readonly heldUsdMicros: bigint
}

/** Lets what is held fall to what was noted. What falls no more stays as it is. */
export async function lowerReservation(trx: Transaction<Schema>, id: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('reservation')
    .set((column) => ({ settled_usd_micros: column.ref('lowered_usd_micros'), lowered_usd_micros: null }))
    .where('id', '=', id)
    .where('lowered_usd_micros', 'is not', null)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await lowerBudgets(trx, id)
}

/** Lets what is held count as it was reserved, for 24 hours from `at`. What falls no more stays as it is. */
export async function keepReservation(trx: Transaction<Schema>, id: string, at: number): Promise<void> {
  await trx
    .updateTable('reservation')
    .set({ lowered_usd_micros: null, closed_at: at })
    .where('id', '=', id)
    .where('lowered_usd_micros', 'is not', null)
    .execute()
}

/** What may have left on a chain: settled at `since` (Unix milliseconds) or later, or reserved still. */
export async function outflowsSince(db: Kysely<Schema>, chainId: number, since: number): Promise<readonly Outflow[]> {
  const rows = await db
    .selectFrom('reservation')
    .selectAll()
    .where('chain_id', '=', BigInt(chainId))
    .where((where) =>
      where.or([
        where('state', '=', 'reserved'),
        where.and([where('state', '=', 'settled'), where('closed_at', '>=', BigInt(since))]),
      ]),
    )
    .execute()
  return rows.map((row) => ({
    usdMicros:
      (row.lowered_usd_micros ?? row.settled_usd_micros ?? row.reserved_usd_micros) +
      (row.settled_gas_usd_micros ?? row.reserved_gas_usd_micros),
    amounts: row.amounts === null ? null : readAmounts(row.amounts),
    settledAt: row.closed_at === null ? null : Number(row.closed_at),
  }))
}

export type Outflow = {
  /** Amount and gas, in millionths of a US dollar of its time. */
  readonly usdMicros: bigint
  /** The same by token, gas among native currency; `null` where nobody said, as in rows of before they were kept. */
  readonly amounts: TokenAmounts | null
  /** Unix milliseconds; `null` while it is reserved. */
  readonly settledAt: number | null
}

/** Releases every open reservation that no signed transaction ever drew on, and gives their ids. */
export async function releaseUnsigned(trx: Transaction<Schema>, at: number): Promise<readonly string[]> {
  const rows = await trx
    .updateTable('reservation')
    .set({ state: 'released', closed_at: at })
    .where('state', '=', 'reserved')
    .where((where) => where.not(where.exists(drawing(where))))
    .where((where) => where.not(where.exists(ordered(where))))
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

function ordered(where: ExpressionBuilder<Schema, 'reservation'>) {
  return where
    .selectFrom('signed_order')
    .select('order_id')
    .whereRef('signed_order.reservation_id', '=', 'reservation.id')
}

function drawing(where: ExpressionBuilder<Schema, 'reservation'>) {
  return where.selectFrom('journal').select('hash').whereRef('journal.reservation_id', '=', 'reservation.id')
}
