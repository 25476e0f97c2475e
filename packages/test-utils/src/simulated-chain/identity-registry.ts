import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionResult,
  getAddress,
  isAddressEqual,
  parseAbi,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem'
import {
  Revert,
  refusal,
  view,
  type ContractAnswer,
  type ContractLog,
  type SimulatedContract,
} from './simulated-chain.ts'

/**
 * What registration uses of an ERC-8004 identity registry (version 2.0.0 of the reference contracts): registration,
 * URI and metadata, their events in the order of the contract, its refusals. Ids count from 0. Approvals, transfers and
 * changes of the agent's wallet are not here: a call to them reverts without a reason.
 */
export function createIdentityRegistry(address: Address): SimulatedRegistry {
  const agents: Agent[] = []
  return {
    address,
    agents: () =>
      agents.map(({ owner, uri, metadata }) => ({
        owner: getAddress(owner),
        agentURI: uri,
        metadata: new Map(metadata),
      })),
    run: ({ from, data }) => {
      const call = decode(data)
      return write(agents, from, call) ?? view(read(agents, call))
    },
  }
}

export type SimulatedRegistry = SimulatedContract & { readonly agents: () => readonly SimulatedAgent[] }

/** An agent as the simulated registry keeps it. */
export type SimulatedAgent = {
  readonly owner: Address
  readonly agentURI: string
  /** On-chain entries, `agentWallet` included. */
  readonly metadata: ReadonlyMap<string, Hex>
}

type Agent = { readonly owner: Address; uri: string; readonly metadata: Map<string, Hex> }

type MetadataEntry = { readonly metadataKey: string; readonly metadataValue: Hex }

const walletKey = 'agentWallet'
const oneText = [{ type: 'string' }] as const

const abi = parseAbi([
  'struct MetadataEntry { string metadataKey; bytes metadataValue; }',
  'function register() returns (uint256 agentId)',
  'function register(string agentURI) returns (uint256 agentId)',
  'function register(string agentURI, MetadataEntry[] metadata) returns (uint256 agentId)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function setMetadata(uint256 agentId, string metadataKey, bytes metadataValue)',
  'function getMetadata(uint256 agentId, string metadataKey) view returns (bytes)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
  'function isAuthorizedOrOwner(address spender, uint256 agentId) view returns (bool)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function balanceOf(address owner) view returns (uint256)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function getVersion() view returns (string)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event MetadataUpdate(uint256 tokenId)',
  'event Registered(uint256 indexed agentId, string agentURI, address indexed owner)',
  'event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy)',
  'event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721InvalidReceiver(address receiver)',
  'error ERC721InvalidOwner(address owner)',
])

const [registerAbi] = parseAbi(['function register() returns (uint256 agentId)'])

type Call = ReturnType<typeof decode>

function decode(data: Hex) {
  try {
    return decodeFunctionData({ abi, data })
  } catch {
    throw new Revert('0x')
  }
}

/** `null` for a call that only reads. */
function write(agents: Agent[], from: Address, call: Call): ContractAnswer | null {
  if (call.functionName === 'register') return register(agents, from, call.args?.[0] ?? null, call.args?.[1] ?? [])
  if (call.functionName === 'setAgentURI') {
    const [id, uri] = call.args
    const agent = ownedBy(agents, id, from)
    const updated = { agentId: id, updatedBy: from }
    return {
      output: '0x',
      logs: [metadataUpdate(id), logOf('URIUpdated', updated, encodeAbiParameters(oneText, [uri]))],
      commit: () => void (agent.uri = uri),
    }
  }
  if (call.functionName === 'setMetadata') {
    const [id, metadataKey, metadataValue] = call.args
    const agent = ownedBy(agents, id, from)
    if (metadataKey === walletKey) throw refusal('reserved key')
    return {
      output: '0x',
      logs: [metadataSet(id, { metadataKey, metadataValue })],
      commit: () => void agent.metadata.set(metadataKey, metadataValue),
    }
  }
  return null
}

function register(
  agents: Agent[],
  from: Address,
  uri: string | null,
  entries: readonly MetadataEntry[],
): ContractAnswer {
  if (isAddressEqual(from, zeroAddress)) {
    throw new Revert(encodeErrorResult({ abi, errorName: 'ERC721InvalidReceiver', args: [from] }))
  }
  if (entries.some(({ metadataKey }) => metadataKey === walletKey)) throw refusal('reserved key')
  const id = BigInt(agents.length)
  const written = [{ metadataKey: walletKey, metadataValue: from }, ...entries]
  return {
    output: encodeFunctionResult({ abi: [registerAbi], result: id }),
    logs: [
      logOf('Transfer', { from: zeroAddress, to: from, tokenId: id }, '0x'),
      ...(uri === null ? [] : [metadataUpdate(id)]),
      logOf('Registered', { agentId: id, owner: from }, encodeAbiParameters(oneText, [uri ?? ''])),
      ...written.map((entry) => metadataSet(id, entry)),
    ],
    commit: () => {
      const metadata = new Map(written.map(({ metadataKey, metadataValue }) => [metadataKey, metadataValue]))
      agents.push({ owner: from, uri: uri ?? '', metadata })
    },
  }
}

function agentOf(agents: readonly Agent[], id: bigint): Agent {
  const agent = agents[Number(id)]
  if (agent !== undefined) return agent
  throw new Revert(encodeErrorResult({ abi, errorName: 'ERC721NonexistentToken', args: [id] }))
}

function ownedBy(agents: readonly Agent[], id: bigint, from: Address): Agent {
  const agent = agentOf(agents, id)
  if (isAddressEqual(agent.owner, from)) return agent
  throw refusal('Not authorized')
}

function read(agents: readonly Agent[], call: Call): Hex {
  switch (call.functionName) {
    case 'getMetadata': {
      const [id, key] = call.args
      return encodeFunctionResult({
        abi,
        functionName: 'getMetadata',
        result: agents[Number(id)]?.metadata.get(key) ?? '0x',
      })
    }
    case 'getAgentWallet': {
      const wallet = agents[Number(call.args[0])]?.metadata.get(walletKey) ?? zeroAddress
      return encodeFunctionResult({ abi, functionName: 'getAgentWallet', result: wallet })
    }
    case 'isAuthorizedOrOwner': {
      const [spender, id] = call.args
      const result = isAddressEqual(agentOf(agents, id).owner, spender)
      return encodeFunctionResult({ abi, functionName: 'isAuthorizedOrOwner', result })
    }
    case 'ownerOf':
      return encodeFunctionResult({ abi, functionName: 'ownerOf', result: agentOf(agents, call.args[0]).owner })
    case 'tokenURI':
      return encodeFunctionResult({ abi, functionName: 'tokenURI', result: agentOf(agents, call.args[0]).uri })
    case 'balanceOf': {
      const [owner] = call.args
      if (isAddressEqual(owner, zeroAddress)) {
        throw new Revert(encodeErrorResult({ abi, errorName: 'ERC721InvalidOwner', args: [owner] }))
      }
      const result = BigInt(agents.filter((agent) => isAddressEqual(agent.owner, owner)).length)
      return encodeFunctionResult({ abi, functionName: 'balanceOf', result })
    }
    case 'name':
      return encodeFunctionResult({ abi, functionName: 'name', result: 'AgentIdentity' })
    case 'symbol':
      return encodeFunctionResult({ abi, functionName: 'symbol', result: 'AGENT' })
    case 'getVersion':
      return encodeFunctionResult({ abi, functionName: 'getVersion', result: '2.0.0' })
    case 'register':
    case 'setAgentURI':
    case 'setMetadata':
      break
  }
  throw new TypeError(`${call.functionName} is no reading.`)
}

function logOf(
  eventName: 'Transfer' | 'Registered' | 'URIUpdated' | 'MetadataSet',
  args: Readonly<Record<string, string | bigint>>,
  data: Hex,
): ContractLog {
  // Every indexed argument is given, so no topic is a wildcard.
  return { topics: encodeEventTopics({ abi, eventName, args }) as Hex[], data }
}

/** ERC-4906, of whoever writes a token's URI. */
function metadataUpdate(id: bigint): ContractLog {
  const topics = encodeEventTopics({ abi, eventName: 'MetadataUpdate' }) as Hex[]
  return { topics, data: encodeAbiParameters([{ type: 'uint256' }], [id]) }
}

function metadataSet(id: bigint, { metadataKey, metadataValue }: MetadataEntry): ContractLog {
  const data = encodeAbiParameters([{ type: 'string' }, { type: 'bytes' }], [metadataKey, metadataValue])
  return logOf('MetadataSet', { agentId: id, indexedMetadataKey: metadataKey }, data)
}
