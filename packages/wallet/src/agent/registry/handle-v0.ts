import { encodeFunctionData, isAddressEqual, parseAbi, parseEventLogs } from 'viem'
import { readAgent } from './read-agent.ts'
import type { InterfaceType, RegistrySpeech } from './registry-form.ts'

/**
 * Registries from before ERC-8004, private ones today: literally `register(handle, metadataURI, interfaceType)`, the
 * last as a number of 8 bits. What else a card says is in the metadata behind the URI alone.
 */
export const handleV0: RegistrySpeech = Object.freeze({
  form: 'handle-v0',
  encodeRegister: ({ handle, metadataURI, interfaceType }) =>
    encodeFunctionData({ abi, functionName: 'register', args: [handle, metadataURI, interfaceNumbers[interfaceType]] }),
  registeredIn(logs, { registry, owner, agentURI }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, registry))
    const registered = parseEventLogs({ abi, logs: own, strict: true }).filter(({ args }) =>
      isAddressEqual(args.owner, owner),
    )
    const named = registered.filter(({ args }) => args.metadataURI === agentURI)
    return (named.length > 0 ? named : registered).map(({ args }) => args.agentId)
  },
  readURI: (client, address, tokenId) =>
    readAgent(tokenId, () => client.readContract({ address, abi, functionName: 'tokenURI', args: [tokenId] })),
})

const interfaceNumbers: Readonly<Record<InterfaceType, number>> = { none: 0, mcp: 1, a2a: 2 }

const abi = parseAbi([
  'function register(string handle, string metadataURI, uint8 interfaceType) returns (uint256 agentId)',
  'function tokenURI(uint256 agentId) view returns (string)',
  'event AgentRegistered(uint256 indexed agentId, address indexed owner, string handle, string metadataURI, uint8 interfaceType)',
])
