import type { AgentIdentity, AgentRole, Chain, FoundAgents, IpfsMode, RegistrationPlan } from '@svc/wallet/core'
import type { Address, Log } from 'viem'
import type { ChainAnswer } from '@svc/amm'

/**
 * The registries that agents are registered in (ERC-8004). Each throws `VALIDATION_CHAIN_NOT_SUPPORTED` for a chain
 * without a registry that this server may call, before anything is read, and `RPC_*` or `REGISTRY_NOT_DEPLOYED`.
 */
export type Identities = {
  /** Throws `AGENT_NOT_FOUND`. Text in it was written by strangers and is not made safe yet. */
  get(chain: Chain, tokenId: string, signal: AbortSignal): Promise<AgentIdentity>
  find(chain: Chain, owner: Address): Promise<FoundAgents>
  /** How many agents the registry counts for an owner, as the intent of a registration may rest on it. */
  count(chain: Chain, owner: Address): Promise<ChainAnswer>
  /**
   * The card, its place and the call that registers it. Throws `VALIDATION_FAILED` naming the fields, or
   * `VALIDATION_PINNING_JWT_MISSING`.
   */
  plan(chain: Chain, request: RegistrationRequest, signal: AbortSignal): Promise<RegistrationPlan>
  /** The id that the logs of the planned call show. Throws where they show none, or several. */
  registeredIn(logs: readonly Log[], plan: RegistrationPlan): { readonly agentId: string; readonly tokenId: string }
}

export type RegistrationRequest = {
  readonly owner: Address
  /** The operator's own, `SVC_AGENT_NAME`, where it is missing. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly role: AgentRole
  readonly mcpEndpoint?: string | undefined
  readonly a2aEndpoint?: string | undefined
  /** The operator's own, `SVC_IPFS_MODE`, where it is missing. */
  readonly ipfsMode?: IpfsMode | undefined
  /** `false` reckons where a file would stand and pins nothing. */
  readonly pin: boolean
}

export type { AgentIdentity, RegistrationPlan } from '@svc/wallet/core'
