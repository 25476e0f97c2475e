import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  parseAbi,
  type PublicClient,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  type Log,
  parseEventLogs,
  stringToHex,
  zeroAddress,
} from 'viem'
import { WalletError } from '../../wallet-error.ts'
import { endpointFailure } from '../../endpoint-failure.ts'
import type { RegistryForm } from '../lookup/identity-registries.ts'

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
type AgentPlace = {
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

/** How registries of a form are spoken to. */
export function registrySpeech(form: RegistryForm): RegistrySpeech {
  return form === 'erc8004-v1' ? erc8004V1 : handleV0
}

/** How one generation of identity registries is spoken to. */
export type RegistrySpeech = {
  readonly form: RegistryForm
  encodeRegister(registration: DirectRegistration): Hex
  /**
   * Token ids that logs show as registered at the registry for the owner: those whose event names the URI, or else all
   * of the owner's. Logs of other contracts in the same receipt do not count, whatever they say.
   */
  registeredIn(logs: readonly Log[], expected: ExpectedRegistration): readonly bigint[]
  /** Throws `AGENT_NOT_FOUND`. */
  readURI(place: AgentPlace, tokenId: bigint): Promise<string>
}

type DirectRegistration = {
  readonly handle: string
  readonly metadataURI: string
  readonly interfaceType: InterfaceType
  /** Besides handle and interface, as on-chain entries where the form has them. */
  readonly metadata: Readonly<Record<string, string>>
}

/** What the agent speaks: the third argument of `register(handle, metadataURI, interfaceType)`. */
type InterfaceType = 'none' | 'mcp' | 'a2a'

type ExpectedRegistration = {
  readonly registry: Address
  readonly owner: Address
  readonly agentURI: string
}

/**
 * ERC-8004 as its reference contracts deploy it: `register(string agentURI, (string, bytes)[] metadata)`. Handle,
 * interface and the card's metadata are entries on chain, in UTF-8.
 */
export const erc8004V1: RegistrySpeech = Object.freeze({
  form: 'erc8004-v1',
  encodeRegister({ handle, metadataURI, interfaceType, metadata }) {
    const entries = Object.entries({ handle, interfaceType, ...metadata })
    return encodeFunctionData({
      abi: identityRegistryAbi,
      functionName: 'register',
      args: [metadataURI, entries.map(([metadataKey, value]) => ({ metadataKey, metadataValue: stringToHex(value) }))],
    })
  },
  registeredIn(logs, { registry, owner, agentURI }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, registry))
    const registered = parseEventLogs({
      abi: identityRegistryAbi,
      eventName: 'Registered',
      logs: own,
      strict: true,
    }).filter((log) => isAddressEqual(log.args.owner, owner))
    const named = registered.filter((log) => log.args.agentURI === agentURI)
    if (registered.length > 0) return (named.length > 0 ? named : registered).map((log) => log.args.agentId)
    return parseEventLogs({ abi: identityRegistryAbi, eventName: 'Transfer', logs: own, strict: true })
      .filter(({ args }) => isAddressEqual(args.from, zeroAddress) && isAddressEqual(args.to, owner))
      .map(({ args }) => args.tokenId)
  },
  readURI: (place, tokenId) => {
    const read = {
      address: place.registry,
      abi: identityRegistryAbi,
      functionName: 'tokenURI',
      args: [tokenId],
    } as const
    return readAgent(place, tokenId, () => place.client.readContract(read))
  },
})

/**
 * Registries from before ERC-8004, private ones today: literally `register(handle, metadataURI, interfaceType)`, the
 * last as a number of 8 bits. What else a card says is in the metadata behind the URI alone.
 */
export const handleV0: RegistrySpeech = Object.freeze({
  form: 'handle-v0',
  encodeRegister: ({ handle, metadataURI, interfaceType }) =>
    encodeFunctionData({
      abi: handleAbi,
      functionName: 'register',
      args: [handle, metadataURI, interfaceNumbers[interfaceType]],
    }),
  registeredIn(logs, { registry, owner, agentURI }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, registry))
    const registered = parseEventLogs({ abi: handleAbi, logs: own, strict: true }).filter(({ args }) =>
      isAddressEqual(args.owner, owner),
    )
    const named = registered.filter(({ args }) => args.metadataURI === agentURI)
    return (named.length > 0 ? named : registered).map(({ args }) => args.agentId)
  },
  readURI: (place, tokenId) => {
    const read = { address: place.registry, abi: handleAbi, functionName: 'tokenURI', args: [tokenId] } as const
    return readAgent(place, tokenId, () => place.client.readContract(read))
  },
})

const interfaceNumbers: Readonly<Record<InterfaceType, number>> = { none: 0, mcp: 1, a2a: 2 }

const handleAbi = parseAbi([
  'function register(string handle, string metadataURI, uint8 interfaceType) returns (uint256 agentId)',
  'function tokenURI(uint256 agentId) view returns (string)',
  'event AgentRegistered(uint256 indexed agentId, address indexed owner, string handle, string metadataURI, uint8 interfaceType)',
])

/**
 * The id that the logs of a registration show: those of the registry itself, for the owner, and those that name the URI
 * before others. Give the logs of the call; of an operation in a bundle its own alone. Throws `REGISTRATION_AMBIGUOUS`,
 * whose `details` name the candidates, unless it is exactly one.
 */
export function registeredAgentIn(
  logs: readonly Log[],
  { chainId, registry, owner, agentURI, form }: AwaitedRegistration,
): { readonly agentId: string; readonly tokenId: string } {
  const candidates = registrySpeech(form).registeredIn(logs, { registry, owner, agentURI })
  const [tokenId] = candidates
  if (tokenId !== undefined && candidates.length === 1) {
    return { agentId: `${chainId}:${tokenId}`, tokenId: `${tokenId}` }
  }
  const txHash = logs[0]?.transactionHash ?? null
  throw new WalletError('REGISTRATION_AMBIGUOUS', `The transaction shows ${candidates.length} registrations.`, {
    details: { txHash, candidates: candidates.map(String) },
  })
}

/** As {@link planRegistration} gives it. */
export type AwaitedRegistration = {
  readonly chainId: number
  readonly registry: Address
  readonly owner: Address
  readonly agentURI: string
  readonly form: RegistryForm
}
