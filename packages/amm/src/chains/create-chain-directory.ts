import { type Chain, chains, findChain } from '@svc/wallet/core'
import type { ChainDirectory } from '../ports.ts'
import { ToolError } from '../tool-error.ts'

/** The chains of this server as a port: rows of data looked up by id, name or alias, nothing read from anywhere. */
export function createChainDirectory(chains: readonly Chain[]): ChainDirectory {
  const known = Object.freeze([...chains])
  return {
    list: () => known,
    get(nameOrId, field = 'chain') {
      const chain = findChain(known, nameOrId)
      if (chain !== undefined) return chain
      throw new ToolError('CHAIN_NOT_SUPPORTED', 'This server does not know that chain.', {
        details: [{ field, message: 'unknown chain', accepted: known.map((chain) => `${chain.name} (${chain.id})`) }],
      })
    },
  }
}

/** Whether a chain is none of the built-in table: the operator added it, a local one for example, and means it to be used. */
export function isOwnChain({ id }: Pick<Chain, 'id'>): boolean {
  return chains.every((chain) => chain.id !== id)
}
