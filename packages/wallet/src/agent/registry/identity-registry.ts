import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  parseAbi,
  type PublicClient,
} from 'viem'
import { WalletError } from '../../wallet-error.ts'
import { endpointFailure } from '../../endpoint-failure.ts'

/** What this package uses of an ERC-8004 identity registry (version 2.0.0 of the reference contracts). */
export const identityRegistryAbi = parseAbi([
  'struct MetadataEntry { string metadataKey; bytes metadataValue; }',
  'function register(string agentURI, MetadataEntry[] metadata) returns (uint256 agentId)',
  'function register(string agentURI) returns (uint256 agentId)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function getMetadata(uint256 agentId, string metadataKey) view returns (bytes)',
  'function setMetadata(uint256 agentId, string metadataKey, bytes metadataValue)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
  'function isAuthorizedOrOwner(address spender, uint256 agentId) view returns (bool)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function balanceOf(address owner) view returns (uint256)',
  'event Registered(uint256 indexed agentId, string agentURI, address indexed owner)',
  'event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721InvalidReceiver(address receiver)',
])

/** Reads of an agent that is not there revert: that is `AGENT_NOT_FOUND`, an endpoint that fails is `RPC_UNAVAILABLE`. */
export async function readAgent<Result>(
  { chain, registry, client }: AgentPlace,
  tokenId: bigint,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read()
  } catch (cause) {
    if (!isRefusal(cause)) throw endpointFailure(`Agent ${tokenId} could not be read.`, cause, client)
    const details = { agentId: `${chain.id}:${tokenId}`, chainId: chain.id, registry }
    throw new WalletError('AGENT_NOT_FOUND', `The registry has no agent ${tokenId}.`, { cause, details })
  }
}

/** Where an agent is read, for what is said of a failure. */
export type AgentPlace = {
  readonly chain: { readonly id: number }
  readonly registry: Address
  readonly client: PublicClient
}

/**
 * Whether the contract itself refused: it reverted, or it has no such function. The client takes an endpoint's internal
 * error for a revert as well, which it is only where data or words say so.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const isOfContract = (cause: unknown) =>
    cause instanceof ContractFunctionZeroDataError ||
    (cause instanceof ContractFunctionRevertedError && (cause.raw !== undefined || /revert/i.test(cause.reason ?? '')))
  return error.walk(isOfContract) !== null
}
