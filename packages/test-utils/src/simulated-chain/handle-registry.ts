import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  getAddress,
  numberToHex,
  parseAbi,
  stringToHex,
  type Address,
  type Hex,
} from 'viem'
import { Revert, refusal, view, type ContractAnswer } from './simulated-chain.ts'
import type { SimulatedRegistry } from './identity-registry.ts'

/**
 * A registry from before ERC-8004, as `handle-v0` of `@svc/wallet` speaks to it: one agent per handle, and
 * `register(handle, metadataURI, interfaceType)` with 0 for none, 1 for mcp, 2 for a2a. Ids count from 0.
 */
export function createHandleRegistry(address: Address): SimulatedRegistry {
  const agents: Agent[] = []
  return {
    address,
    agents: () =>
      agents.map(({ owner, handle, uri, interfaceType }) => ({
        owner: getAddress(owner),
        agentURI: uri,
        metadata: new Map<string, Hex>([
          ['handle', stringToHex(handle)],
          ['interfaceType', numberToHex(interfaceType, { size: 1 })],
        ]),
      })),
    run: ({ from, data }) => {
      const call = decode(data)
      if (call.functionName !== 'register') return view(read(agents, call))
      const [handle, uri, interfaceType] = call.args
      return register(agents, { owner: from, handle, uri, interfaceType })
    },
  }
}

type Agent = {
  readonly owner: Address
  readonly handle: string
  readonly uri: string
  readonly interfaceType: number
}

const abi = parseAbi([
  'function register(string handle, string metadataURI, uint8 interfaceType) returns (uint256 agentId)',
  'function agentIdOf(string handle) view returns (uint256)',
  'function ownerOf(uint256 agentId) view returns (address)',
  'function tokenURI(uint256 agentId) view returns (string)',
  'function handleOf(uint256 agentId) view returns (string)',
  'function interfaceTypeOf(uint256 agentId) view returns (uint8)',
  'event AgentRegistered(uint256 indexed agentId, address indexed owner, string handle, string metadataURI, uint8 interfaceType)',
])

const announced = [{ type: 'string' }, { type: 'string' }, { type: 'uint8' }] as const

function register(agents: Agent[], agent: Agent): ContractAnswer {
  const { owner, handle, uri, interfaceType } = agent
  if (handle === '') throw refusal('empty handle')
  if (agents.some((other) => other.handle === handle)) throw refusal('handle taken')
  if (interfaceType > 2) throw refusal('unknown interface type')
  const agentId = BigInt(agents.length)
  // Every indexed argument is given, so no topic is a wildcard.
  const topics = encodeEventTopics({ abi, eventName: 'AgentRegistered', args: { agentId, owner } }) as Hex[]
  return {
    output: encodeFunctionResult({ abi, functionName: 'register', result: agentId }),
    logs: [{ topics, data: encodeAbiParameters(announced, [handle, uri, interfaceType]) }],
    commit: () => void agents.push(agent),
  }
}

function decode(data: Hex) {
  try {
    return decodeFunctionData({ abi, data })
  } catch {
    throw new Revert('0x')
  }
}

function read(agents: readonly Agent[], call: ReturnType<typeof decode>): Hex {
  if (call.functionName === 'register') throw new TypeError('register is no reading.')
  if (call.functionName === 'agentIdOf') {
    const place = agents.findIndex(({ handle }) => handle === call.args[0])
    if (place < 0) throw refusal('unknown handle')
    return encodeFunctionResult({ abi, functionName: 'agentIdOf', result: BigInt(place) })
  }
  const agent = agents[Number(call.args[0])]
  if (agent === undefined) throw refusal('unknown agent')
  const { functionName } = call
  if (functionName === 'ownerOf') return encodeFunctionResult({ abi, functionName, result: agent.owner })
  if (functionName === 'tokenURI') return encodeFunctionResult({ abi, functionName, result: agent.uri })
  if (functionName === 'handleOf') return encodeFunctionResult({ abi, functionName, result: agent.handle })
  return encodeFunctionResult({ abi, functionName, result: agent.interfaceType })
}
