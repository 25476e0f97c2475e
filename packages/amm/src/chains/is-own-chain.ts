import { type Chain, chains } from '@svc/wallet/core'

/** Whether a chain is none of the built-in table: the operator added it, a local one for example, and means it to be used. */
export function isOwnChain({ id }: Pick<Chain, 'id'>): boolean {
  return chains.every((chain) => chain.id !== id)
}
