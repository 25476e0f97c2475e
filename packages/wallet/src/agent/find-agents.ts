import { isAddress, type Address } from 'viem'
import { WalletError } from '../wallet-error.ts'
import { lookAtRegistry } from './look-at-registry.ts'
import { openRegistryToRead, type RegistryToRead } from './open-registry.ts'
import { ownedAgents, type OwnedAgent } from './owned-agents.ts'

/**
 * The agents that an address owns now at the registry of a chain, the newest first, at most 100. `complete` says whether
 * they are as many as the registry counts; a registry that does not count gives none. Throws `WalletError`:
 * `VALIDATION_CONFIG_INVALID`, `VALIDATION_CHAIN_NOT_SUPPORTED`, `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`,
 * `REGISTRY_NOT_DEPLOYED`.
 */
export async function findAgents(options: FindAgentsOptions): Promise<FoundAgents> {
  const { chainId, owner } = options
  const place = openRegistryToRead(options)
  if (!isAddress(owner)) throw new WalletError('VALIDATION_CONFIG_INVALID', 'owner is not valid; accepted: an address.')
  // The form bears on what is sent alone, so that it need not be found out.
  const { agents } = await lookAtRegistry({ ...place, form: place.form ?? 'erc8004-v1' }, owner)
  const most = Number(agents === null || agents > mostAgents ? mostAgents : agents)
  const { owned } = agents === null || agents === 0n ? { owned: [] } : await ownedAgents(place, owner, { most })
  return {
    owner,
    chainId,
    agentRegistry: `eip155:${chainId}:${place.registry}`,
    agents: owned.map(({ tokenId, origin }) => ({ agentId: `${chainId}:${tokenId}`, tokenId: `${tokenId}`, origin })),
    complete: agents !== null && BigInt(owned.length) === agents,
  }
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

const mostAgents = 100n
