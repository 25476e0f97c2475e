import { isAddressEqual, zeroAddress, type Address } from 'viem'
import { openRegistryToRead, type RegistryToRead } from './open-registry.ts'
import { parseAgentId } from './parse-agent-id.ts'
import type { PublishedFile } from './parse-agent-file.ts'
import { readAgentFile, type AgentFileOptions, type FileStatus } from './read-agent-file.ts'
import { readStanding, shownKeys } from './read-standing.ts'
import { requireRegistry } from './require-registry.ts'

/**
 * What the registry says of an agent, and the registration file behind its URI. All of it but owner and wallet is the
 * owner's own word. Nothing asks an address that the agent names: see {@link FileStatus}. Throws `WalletError`:
 * `VALIDATION_CONFIG_INVALID`, `VALIDATION_CHAIN_NOT_SUPPORTED`, `AGENT_NOT_FOUND`, `REGISTRY_NOT_DEPLOYED`,
 * `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`.
 */
export async function getAgent(options: GetAgentOptions): Promise<AgentIdentity> {
  const { agentId, env = process.env } = options
  const { chainId, tokenId } = parseAgentId(agentId)
  const place = openRegistryToRead({ ...options, chainId })
  const reading = readStanding(place, tokenId, shownKeys)
  // Should the registry be missing, that is said, and not that the agent is.
  reading.catch(() => undefined)
  await requireRegistry(place)
  const { owner, agentURI, agentWallet, metadata } = await reading
  const { status, file, warnings } = await readAgentFile(agentURI, { ...options, env })
  const shownURI = agentURI.slice(0, mostShown)
  return {
    agentId,
    tokenId: `${tokenId}`,
    chainId,
    agentRegistry: `eip155:${chainId}:${place.registry}`,
    owner,
    agentWallet: agentWallet === null || isAddressEqual(agentWallet, zeroAddress) ? null : agentWallet,
    agentURI: shownURI,
    metadata,
    registrationFile: file,
    fileStatus: status,
    warnings: shownURI === agentURI ? warnings : [...warnings, 'The agent URI is longer than what is shown of it.'],
  }
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
  /** Of the entries this package writes those that stand on chain. */
  readonly metadata: Readonly<Record<string, string>>
  readonly registrationFile: PublishedFile | null
  readonly fileStatus: FileStatus
  readonly warnings: readonly string[]
}

/** Base64 of the largest file that is read, and its prefix. */
const mostShown = 350_000
