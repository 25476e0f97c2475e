import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../schema.ts'
import { requireAmount } from './amounts.ts'

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
  const rows = await db.selectFrom('reservation_budget').selectAll().where('reservation_id', '=', id).execute()
  return new Map(rows.map((row) => [row.name, row.usd_micros]))
}

/** Takes out of budgets what a reservation does not hold of them yet. None of what it holds is given back. */
export async function takeBudgets(
  trx: Transaction<Schema>,
  id: string,
  budgets: readonly BudgetAmount[],
): Promise<void> {
  const rows = rowsOf(id, budgets)
  if (rows.length === 0) return
  await trx
    .insertInto('reservation_budget')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['reservation_id', 'name'])
        .doUpdateSet({ usd_micros: (row) => row.ref('excluded.usd_micros') })
        .whereRef('reservation_budget.usd_micros', '<', 'excluded.usd_micros'),
    )
    .execute()
}

/** Puts real amounts in place of reserved ones, also where none was reserved. Budgets that are not named stay as they are. */
export async function settleBudgets(
  trx: Transaction<Schema>,
  id: string,
  budgets: readonly BudgetAmount[],
): Promise<void> {
  const names = [...amountsByName(budgets).keys()]
  if (names.length === 0) return
  await trx.deleteFrom('reservation_budget').where('reservation_id', '=', id).where('name', 'in', names).execute()
  const rows = rowsOf(id, budgets)
  if (rows.length > 0) await trx.insertInto('reservation_budget').values(rows).execute()
}

/** What takes nothing has no row. */
function rowsOf(reservation_id: string, budgets: readonly BudgetAmount[]) {
  return [...amountsByName(budgets)]
    .filter(([, usd_micros]) => usd_micros > 0n)
    .map(([name, usd_micros]) => ({ reservation_id, name, usd_micros }))
}
