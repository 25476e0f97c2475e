import type { Address } from 'viem'
import type { RegistryToRead } from './open-registry.ts'
import type { PublishedFile } from './parse-agent-file.ts'
import type { AgentFileOptions, FileStatus } from './read-agent-file.ts'

/**
 * What the registry says of an agent, and the registration file behind its URI. All of it but owner and wallet is the
 * owner's own word. Nothing asks an address that the agent names: see {@link FileStatus}. Throws `WalletError`:
 * `VALIDATION_CONFIG_INVALID`, `VALIDATION_CHAIN_NOT_SUPPORTED`, `AGENT_NOT_FOUND`, `REGISTRY_NOT_DEPLOYED`,
 * `VALIDATION_REGISTRY_ABI_UNKNOWN`, `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`, `ABORTED`.
 */
export async function getAgent(options: GetAgentOptions): Promise<AgentIdentity> {
  const { lookUpAgent } = await import('./look-up-agent.ts')
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
