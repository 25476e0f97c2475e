import { parseAbi } from 'viem'

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
