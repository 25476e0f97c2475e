import type { Address } from 'viem'
import type { RegistryToRead } from './open-registry.ts'
import type { OwnedAgent } from './owned-agents.ts'

/**
 * The agents that an address owns now at the registry of a chain, the newest first, at most 100. `complete` says whether
 * they are as many as the registry counts; a registry that does not count gives none. Throws `WalletError`:
 * `VALIDATION_CONFIG_INVALID`, `VALIDATION_CHAIN_NOT_SUPPORTED`, `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`,
 * `REGISTRY_NOT_DEPLOYED`, `VALIDATION_REGISTRY_ABI_UNKNOWN`.
 */
export async function findAgents(options: FindAgentsOptions): Promise<FoundAgents> {
  const { lookUpAgents } = await import('./look-up-agents.ts')
  return lookUpAgents(options)
}

/** Whose agents are looked for, and where. */
export type FindAgentsOptions = RegistryToRead & { readonly owner: Address }

/** The agents of an owner, newest first; `complete` is false where there may be more. */
export type FoundAgents = {
  readonly owner: Address
  readonly chainId: number
  /** `eip155:<chainId>:<address>`. */
  readonly agentRegistry: string
  readonly agents: readonly FoundAgent[]
  readonly complete: boolean
}

/** An agent that the owner has now, and how it came there. */
export type FoundAgent = Pick<OwnedAgent, 'origin'> & { readonly agentId: string; readonly tokenId: string }
