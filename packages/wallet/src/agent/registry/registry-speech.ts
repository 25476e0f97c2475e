import {
  type Address,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
  stringToHex,
  zeroAddress,
} from 'viem'
import type { RegistryForm } from '../lookup/identity-registries.ts'
import { type AgentPlace, identityRegistryAbi as abi, readAgent } from './identity-registry.ts'

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
      abi,
      functionName: 'register',
      args: [metadataURI, entries.map(([metadataKey, value]) => ({ metadataKey, metadataValue: stringToHex(value) }))],
    })
  },
  registeredIn(logs, { registry, owner, agentURI }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, registry))
    const registered = parseEventLogs({ abi, eventName: 'Registered', logs: own, strict: true }).filter((log) =>
      isAddressEqual(log.args.owner, owner),
    )
    const named = registered.filter((log) => log.args.agentURI === agentURI)
    if (registered.length > 0) return (named.length > 0 ? named : registered).map((log) => log.args.agentId)
    return parseEventLogs({ abi, eventName: 'Transfer', logs: own, strict: true })
      .filter(({ args }) => isAddressEqual(args.from, zeroAddress) && isAddressEqual(args.to, owner))
      .map(({ args }) => args.tokenId)
  },
  readURI: (place, tokenId) => {
    const read = { address: place.registry, abi, functionName: 'tokenURI', args: [tokenId] } as const
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
