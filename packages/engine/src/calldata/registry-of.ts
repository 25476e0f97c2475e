import { type Chain, identityRegistries, type RegistryForm } from '@svc/wallet/core'
import type { Address } from 'viem'

/** Where agents of a chain are registered: what its row says, else the table, as far as that supports the chain. */
export function registryOf(chain: Pick<Chain, 'id' | 'identityRegistry'>): Registry | null {
  if (chain.identityRegistry !== undefined) return chain.identityRegistry
  const row = Object.hasOwn(identityRegistries, chain.id) ? identityRegistries[chain.id] : undefined
  if (row === undefined || row.identity === null || row.support === 'pending') return null
  return { address: row.identity, form: row.form }
}

export type Registry = { readonly address: Address; readonly form: RegistryForm }
