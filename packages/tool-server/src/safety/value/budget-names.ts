/** The budgets of value, as the ledger keeps them; those of pools and tokens bear the chain and the address. */
export const budgetNames = { loss: 'loss', speculative: 'speculative', coldStart: 'cold-start' } as const

/** Of a pool the operator gave a budget of its own. */
export function poolBudgetName(chainId: number, pool: string): string {
  return `pool ${chainId} ${pool.toLowerCase()}`
}

/** Of a token that pools alone price. */
export function poolPricedBudgetName(chainId: number, token: string): string {
  return `${poolPricedPrefix}${chainId} ${token.toLowerCase()}`
}

/** Whether a person may let a call exceed the budget: one of a token that only pools vouch for. */
export function isForAPerson(name: string): boolean {
  return name.startsWith(poolPricedPrefix)
}

const poolPricedPrefix = 'priced by pools '
