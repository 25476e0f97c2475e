import { parseAbi } from 'viem'

/** What the wallet may call of a registry from before ERC-8004. */
export const handleRegistryAbi = parseAbi([
  'function register(string handle, string metadataURI, uint8 interfaceType) returns (uint256 agentId)',
])
