import { type Chain, identityRegistries, type RegistryForm } from '@svc/wallet/core'
import { type Address, parseAbi } from 'viem'

/**
 * What the wallet may call of an ERC-8004 identity registry (version 2 of its contracts): nothing that hands an agent on,
 * approves somebody for it or says who it is paid at.
 */
export const identityRegistryAbi = parseAbi([
  'struct MetadataEntry { string metadataKey; bytes metadataValue; }',
  'function register(string agentURI, MetadataEntry[] metadata) returns (uint256 agentId)',
  'function register(string agentURI) returns (uint256 agentId)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function setMetadata(uint256 agentId, string metadataKey, bytes metadataValue)',
])

/** What the wallet may call of a registry from before ERC-8004. */
export const handleRegistryAbi = parseAbi([
  'function register(string handle, string metadataURI, uint8 interfaceType) returns (uint256 agentId)',
])

/** Where agents of a chain are registered: what its row says, else the table, as far as that supports the chain. */
export function registryOf(chain: Pick<Chain, 'id' | 'identityRegistry'>): Registry | null {
  if (chain.identityRegistry !== undefined) return chain.identityRegistry
  const row = Object.hasOwn(identityRegistries, chain.id) ? identityRegistries[chain.id] : undefined
  if (row === undefined || row.identity === null || row.support === 'pending') return null
  return { address: row.identity, form: row.form }
}

type Registry = { readonly address: Address; readonly form: RegistryForm }
