import type { Address } from 'viem'
import type { RegistryToRead } from './open-registry.ts'
import type { OwnedAgent } from './owned-agents.ts'
import type { PublishedFile, AgentFileOptions, FileStatus } from './read-agent-file.ts'

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

/**
 * What the registry says of an agent, and the registration file behind its URI. All of it but owner and wallet is the
 * owner's own word. Nothing asks an address that the agent names: see {@link FileStatus}. Throws `WalletError`:
 * `VALIDATION_CONFIG_INVALID`, `VALIDATION_CHAIN_NOT_SUPPORTED`, `AGENT_NOT_FOUND`, `REGISTRY_NOT_DEPLOYED`,
 * `VALIDATION_REGISTRY_ABI_UNKNOWN`, `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`, `ABORTED`.
 */
export async function getAgent(options: GetAgentOptions): Promise<AgentIdentity> {
  const { lookUpAgent } = await import('./look-up-agents.ts')
  return lookUpAgent(options)
}

/** Which agent is read, and where. */
export type GetAgentOptions = Omit<RegistryToRead, 'chainId'> &
  AgentFileOptions & {
    /** `<chainId>:<tokenId>`. */
    readonly agentId: string
  }

/** An agent as the registry and its file show it. */
export type AgentIdentity = {
  readonly agentId: string
  readonly tokenId: string
  readonly chainId: number
  /** `eip155:<chainId>:<address>`. */
  readonly agentRegistry: string
  readonly owner: Address
  /** The address the agent acts with; `null` where none is set, or where it was taken away. */
  readonly agentWallet: Address | null
  readonly agentURI: string
  /**
   * The entries on chain as text, by name: those of this package and whatever else was set with a name that a card may have.
   * A warning says where the endpoint does not name all of them.
   */
  readonly metadata: Readonly<Record<string, string>>
  readonly registrationFile: PublishedFile | null
  readonly fileStatus: FileStatus
  readonly warnings: readonly string[]
}
