import { requireAmount } from '../require-amount.ts'

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
