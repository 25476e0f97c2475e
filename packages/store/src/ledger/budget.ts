import type { Kysely, Selectable, Transaction } from 'kysely'
import { preparedQuery } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { StoreError } from '../store-error.ts'

/**
 * What budgets are asked for, by name; amounts of one name are added up. Throws `AMOUNT_INVALID`, and a `TypeError` for a
 * name that is none.
 */
export function amountsByName(budgets: readonly BudgetAmount[]): ReadonlyMap<string, bigint> {
  const amounts = new Map<string, bigint>()
  for (const { name, usdMicros } of budgets) {
    requireBudgetName(name)
    requireAmount(usdMicros)
    amounts.set(name, (amounts.get(name) ?? 0n) + usdMicros)
  }
  for (const usdMicros of amounts.values()) requireAmount(usdMicros)
  return amounts
}

/** Throws a `TypeError`. */
export function requireBudgetName(name: string): void {
  if (/^[\x20-\x7e]{1,160}$/.test(name)) return
  throw new TypeError('The name of a budget has 1 to 160 printable ASCII characters.')
}

/** What a request takes out of a budget, and what may be taken out of it in any 24 hours, by everybody together. */
export type Budget = BudgetAmount & {
  /** It may be as large as one likes: then the budget only counts. */
  readonly capUsdMicros: bigint
}

export type BudgetAmount = {
  /** Such as `loss` or `pool 8453 0x…`: 1 to 160 printable ASCII characters, compared one by one. */
  readonly name: string
  /** Millionths of a US dollar. */
  readonly usdMicros: bigint
}

/** What a reservation holds of budgets, by name. */
export async function heldBudgets(db: Kysely<Schema>, id: string): Promise<ReadonlyMap<string, bigint>> {
  return new Map((await ofReservation(db, { id })).map((row) => [row.name, row.usd_micros]))
}

const ofReservation = preparedQuery<Pick<BudgetRow, 'id'>, Selectable<Schema['reservation_budget']>>((db, value) =>
  db.selectFrom('reservation_budget').selectAll().where('reservation_id', '=', value('id')),
)

/** Takes out of budgets what a reservation does not hold of them yet. None of what it holds is given back. */
export async function takeBudgets(
  trx: Transaction<Schema>,
  id: string,
  budgets: readonly BudgetAmount[],
): Promise<void> {
  for (const [name, usdMicros] of amountsByName(budgets)) {
    // What takes nothing has no row.
    if (usdMicros > 0n) await raise(trx, { id, name, usdMicros })
  }
}

const raise = preparedQuery<BudgetRow, unknown>((db, value) =>
  db
    .insertInto('reservation_budget')
    .values({ reservation_id: value('id'), name: value('name'), usd_micros: value('usdMicros') })
    .onConflict((conflict) =>
      conflict
        .columns(['reservation_id', 'name'])
        .doUpdateSet({ usd_micros: (row) => row.ref('excluded.usd_micros') })
        .whereRef('reservation_budget.usd_micros', '<', 'excluded.usd_micros'),
    ),
)

/**
 * Puts real amounts in place of reserved ones, also where none was reserved. Budgets that are not named stay as they are. With
 * `areHeld` none falls yet: what it is to fall to is noted. Answers whether any waits so.
 */
export async function settleBudgets(
  trx: Transaction<Schema>,
  id: string,
  budgets: readonly BudgetAmount[],
  areHeld = false,
): Promise<boolean> {
  const held = areHeld ? await heldBudgets(trx, id) : new Map<string, bigint>()
  let isAnyHeld = false
  for (const [name, usdMicros] of amountsByName(budgets)) {
    if (usdMicros < (held.get(name) ?? 0n)) {
      isAnyHeld = true
      await note(trx, { id, name, usdMicros })
    } else if (usdMicros > 0n) await put(trx, { id, name, usdMicros })
    else await drop(trx, { id, name })
  }
  return isAnyHeld
}

/** Lets the budgets of a reservation fall to what was noted. */
export async function lowerBudgets(trx: Transaction<Schema>, id: string): Promise<void> {
  const rows = await ofReservation(trx, { id })
  const lowered = rows.flatMap(({ name, lowered_usd_micros: usdMicros }) =>
    usdMicros === null ? [] : [{ name, usdMicros }],
  )
  await settleBudgets(trx, id, lowered)
}

const put = preparedQuery<BudgetRow, unknown>((db, value) =>
  db
    .insertInto('reservation_budget')
    .values({ reservation_id: value('id'), name: value('name'), usd_micros: value('usdMicros') })
    .onConflict((conflict) =>
      conflict
        .columns(['reservation_id', 'name'])
        .doUpdateSet({ usd_micros: (row) => row.ref('excluded.usd_micros'), lowered_usd_micros: null }),
    ),
)

const note = preparedQuery<BudgetRow, unknown>((db, value) =>
  db
    .updateTable('reservation_budget')
    .set({ lowered_usd_micros: value('usdMicros') })
    .where('reservation_id', '=', value('id'))
    .where('name', '=', value('name')),
)

const drop = preparedQuery<Omit<BudgetRow, 'usdMicros'>, unknown>((db, value) =>
  db.deleteFrom('reservation_budget').where('reservation_id', '=', value('id')).where('name', '=', value('name')),
)

type BudgetRow = { readonly id: string; readonly name: string; readonly usdMicros: bigint }

/** Smallest units by lower-case token address, native currency under the zero address. None is negative. */
export type TokenAmounts = ReadonlyMap<string, bigint>

export const nativeCurrency = '0x0000000000000000000000000000000000000000'

/** As a row holds them. Throws `AMOUNT_INVALID`. */
export function amountsText(amounts: TokenAmounts): string {
  const written = [...amounts].map(([token, amount]) => {
    if (amount < 0n) throw new StoreError('AMOUNT_INVALID', `An amount of ${token} is negative.`)
    return [token, `${amount}`] as const
  })
  return JSON.stringify(Object.fromEntries(written))
}

export function readAmounts(text: string): TokenAmounts {
  const written = JSON.parse(text) as Readonly<Record<string, string>>
  return new Map(Object.entries(written).map(([token, amount]) => [token, BigInt(amount)]))
}

/** Throws `AMOUNT_INVALID` for what is negative or above a trillion dollars. */
export function requireAmount(amountUsdMicros: bigint): void {
  if (amountUsdMicros >= 0n && amountUsdMicros <= largestAmountUsdMicros) return
  throw new StoreError('AMOUNT_INVALID', 'An amount is between 0 and 1e12 US dollars.')
}

/** The most one amount or one gas cost may be: a trillion dollars, far above any cap, and sums of many stay within 64 bits. */
export const largestAmountUsdMicros = 10n ** 18n
