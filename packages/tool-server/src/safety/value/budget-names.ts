/** The budgets of value, as the ledger keeps them; those of pools and tokens bear the chain and the address. */
export const budgetNames = {
  loss: 'loss',
  speculative: 'speculative',
  coldStart: 'cold-start',
  /** Of all tokens that pools alone price. */
  poolPriced: 'priced by pools',
} as const

/** Of a pool the operator gave a budget of its own. */
export function poolBudgetName(chainId: number, pool: string): string {
  return `pool ${chainId} ${pool.toLowerCase()}`
}

/** Of one of them. */
export function poolPricedBudgetName(chainId: number, token: string): string {
  return `${budgetNames.poolPriced} ${chainId} ${token.toLowerCase()}`
}

/** Whether a person may let a call exceed the budget: one of tokens that only pools vouch for. */
export function isForAPerson(name: string): boolean {
  return name.startsWith(budgetNames.poolPriced)
}
