import type { Kysely } from 'kysely'
import { amountsByName, type Budget } from './budget.ts'
import { heldBudgets } from './reservation-budgets.ts'
import type { Schema } from '../schema.ts'
import type { BudgetRefusal } from './spend-verdict.ts'
import { sumOfBudgets } from './spent.ts'

/**
 * The first budget that has too little left at `at`, or `null`. What an open reservation `ownId` holds of a budget is not
 * counted twice, and never falls. What takes nothing is never refused. Throws `AMOUNT_INVALID`.
 */
export async function weighBudgets(
  db: Kysely<Schema>,
  budgets: readonly Budget[],
  at: number,
  ownId: string | null,
): Promise<BudgetRefusal | null> {
  const amounts = amountsByName(budgets)
  if (amounts.size === 0) return null
  const held = ownId === null ? new Map<string, bigint>() : await heldBudgets(db, ownId)
  const used = await sumOfBudgets(db, [...amounts.keys()], at)
  for (const { name, capUsdMicros } of budgets) {
    const own = held.get(name) ?? 0n
    const amount = amounts.get(name) ?? 0n
    const askedUsdMicros = amount > own ? amount : own
    const usedUsdMicros = (used.get(name) ?? 0n) - own
    if (askedUsdMicros > 0n && usedUsdMicros + askedUsdMicros > capUsdMicros) {
      return { granted: false, limit: 'budget', budget: name, capUsdMicros, usedUsdMicros, askedUsdMicros }
    }
  }
  return null
}
