import { findChain, type Chain } from '@svc/wallet/core'
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
