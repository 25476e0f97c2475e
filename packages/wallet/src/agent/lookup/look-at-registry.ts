import { type Address, isAddressEqual, zeroAddress, hexToString, size, sliceHex } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import {
  identityRegistryAbi,
  isRefusal,
  identityRegistryAbi as abi,
  readAgent,
  erc8004V1,
  handleV0,
  registrySpeech,
  type RegistrySpeech,
} from '../registry/identity-registry.ts'
import type { RegistryPlace } from './open-registry.ts'
import { abortIn, endpointFailure, requireChain } from '../../endpoint-failure.ts'
import { walletErrorTable } from '../../wallet-error-table.ts'
import { identityRegistries } from './identity-registries.ts'
import { abortable, withDeadline } from '../../with-deadline.ts'

/**
 * One round of questions before anything is sent: does the endpoint serve the chain, is there code at the registry, how
 * many agents has the wallet there. Throws `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`, `REGISTRY_NOT_DEPLOYED` or
 * `VALIDATION_REGISTRY_ABI_UNKNOWN`.
 */
export async function lookAtRegistry(place: RegistryPlace, owner: Address): Promise<RegistrySighting> {
  const { form } = place
  const [, agents] = await Promise.all([requireRegistry(place), countAgents(place, owner)])
  const speech = form === null ? await probe(place, owner) : registrySpeech(form)
  return { speech, agents }
}

/**
 * Of a registry whose form nobody named, whether it takes a registration at all, asked as one whose owner may hold tokens. Throws
 * `VALIDATION_REGISTRY_ABI_UNKNOWN`.
 */
export async function requireKnownForm(place: RegistryPlace): Promise<void> {
  if (place.form === null) await probe(place, anybody)
}

/** An address without code on any chain that is known. */
const anybody: Address = '0x000000000000000000000000000000000000dEaD'

export type RegistrySighting = {
  readonly speech: RegistrySpeech
  /** How many the wallet owns; `null` where the registry does not count. */
  readonly agents: bigint | null
}

/** One that reverts does not count; one that is not answered is not known, and a second identity would be the price. */
async function countAgents({ client, chain, registry: address }: RegistryPlace, owner: Address) {
  const read = { address, abi: identityRegistryAbi, functionName: 'balanceOf', args: [owner] } as const
  return client.readContract(read).catch((cause: unknown) => {
    if (isRefusal(cause)) return null
    throw endpointFailure(`The endpoint of chain ${chain.id} gives no usable answer.`, cause, client)
  })
}

/** Tries each form from the wallet itself, since a registry may refuse an owner that cannot hold tokens. */
async function probe(place: RegistryPlace, owner: Address): Promise<RegistrySpeech> {
  const { client, registry } = place
  const trial = { handle: `probe-${owner.toLowerCase()}`, metadataURI: 'data:,', metadata: {} }
  const account = isAddressEqual(owner, zeroAddress) ? undefined : owner
  for (const speech of [erc8004V1, handleV0]) {
    const data = speech.encodeRegister({ ...trial, interfaceType: 'none' })
    const answer = await client.call({ to: registry, data, ...(account && { account }) }).catch(unlessAborted)
    // Both forms give the id back; a fallback function that takes everything gives nothing.
    if (answer?.data?.length === 66) return speech
  }
  throw wrongRegistry(
    'VALIDATION_REGISTRY_ABI_UNKNOWN',
    `The contract at ${registry} takes no known registration.`,
    place,
  )
}

/** Names the registry that the table knows for the chain, where that is another one. */
function wrongRegistry(
  code: 'REGISTRY_NOT_DEPLOYED' | 'VALIDATION_REGISTRY_ABI_UNKNOWN',
  message: string,
  { chain, registry }: RegistryPlace,
): WalletError {
  const known = identityRegistries[chain.id]?.identity ?? null
  const isOther = known !== null && known !== registry
  const { suggestion } = walletErrorTable[code]
  return new WalletError(code, message, {
    suggestion: isOther ? `${suggestion} The registry that is known on chain ${chain.id} is ${known}.` : suggestion,
    details: { chainId: chain.id, registry, knownRegistry: known },
  })
}

function unlessAborted(error: unknown): null {
  const aborted = abortIn(error)
  if (aborted !== null) throw aborted
  return null
}

/**
 * Asks whether the endpoint serves the chain and whether there is code at the registry. Throws `RPC_UNAVAILABLE`,
 * `RPC_CHAIN_MISMATCH` or `REGISTRY_NOT_DEPLOYED`.
 */
export async function requireRegistry(place: RegistryPlace): Promise<void> {
  const { client, chain, registry } = place
  const [chainId, code] = await Promise.all([client.getChainId(), client.getCode({ address: registry })]).catch(
    (cause: unknown) => {
      throw endpointFailure(`The endpoint of chain ${chain.id} gives no usable answer.`, cause, client)
    },
  )
  requireChain(chain.id, chainId, client)
  if (code === undefined || code === '0x') {
    throw wrongRegistry('REGISTRY_NOT_DEPLOYED', `There is no contract at ${registry} on chain ${chain.id}.`, place)
  }
}

/**
 * What stands on chain of an agent: one round of questions, of one block as a rule. Of the entries those that every agent
 * of this package has, which {@link readEntries} makes all; what is not there is left out, and what is long is cut. Throws `AGENT_NOT_FOUND` or `RPC_UNAVAILABLE`.
 */
export async function readStanding(place: RegistryPlace, tokenId: bigint): Promise<Standing> {
  const { client, registry: address } = place
  return readAgent(place, tokenId, async () => {
    const [owner, agentURI, agentWallet, metadata] = await Promise.all([
      client.readContract({ address, abi, functionName: 'ownerOf', args: [tokenId] }),
      client.readContract({ address, abi, functionName: 'tokenURI', args: [tokenId] }),
      client.readContract({ address, abi, functionName: 'getAgentWallet', args: [tokenId] }).catch(absent),
      readMetadata(place, tokenId, usualKeys),
    ])
    return { owner, agentURI, agentWallet, metadata }
  })
}

/** The entries of an agent that stand on chain, as text. */
export async function readMetadata(
  { client, registry: address }: RegistryPlace,
  tokenId: bigint,
  keys: readonly string[],
): Promise<Standing['metadata']> {
  const entries = keys.map(async (key): Promise<readonly (readonly [string, string])[]> => {
    const read = { address, abi, functionName: 'getMetadata', args: [tokenId, key] } as const
    const value = await client.readContract(read).catch(absent)
    if (value === null || value === '0x') return []
    return [[key, hexToString(size(value) > mostBytes ? sliceHex(value, 0, mostBytes) : value)]]
  })
  return Object.fromEntries((await Promise.all(entries)).flat())
}

/**
 * Adds the entries of other names: those that `keys` found, and those that the agent's file names, of which as much may be
 * on chain. Throws `RPC_UNAVAILABLE`.
 */
export async function readEntries(
  place: RegistryPlace,
  tokenId: bigint,
  metadata: Standing['metadata'],
  keys: EntryKeys,
): Promise<Entries> {
  const more = new Set([...(keys.ofEvents ?? []), ...keys.ofFile].filter((key) => isEntryKey(key)))
  const asked = [...more].filter((key) => !usualKeys.includes(key))
  const found = await readAgent(place, tokenId, () => readMetadata(place, tokenId, asked.slice(0, mostKeys)))
  return { metadata: { ...metadata, ...found }, areAll: keys.ofEvents !== null && asked.length <= mostKeys }
}

/**
 * The names of all entries that were ever set, by the registry's events: asked alone, since many endpoints take their time
 * for the logs of all blocks. `null` where this one does not give them.
 */
export async function entryKeys(
  { client, registry: address }: RegistryPlace,
  tokenId: bigint,
): Promise<readonly string[] | null> {
  const filter = { address, abi, eventName: 'MetadataSet', args: { agentId: tokenId }, strict: true } as const
  const read = () => client.getContractEvents({ ...filter, fromBlock: 0n, toBlock: 'latest' })
  const logs = await withDeadline({ timeoutMs: patienceMs }, (late) => abortable(late).until(read)).catch(() => null)
  return logs === null ? null : [...new Set(logs.map(({ args }) => args.metadataKey))]
}

export type EntryKeys = { readonly ofEvents: readonly string[] | null; readonly ofFile: readonly string[] }

export type Entries = Pick<Standing, 'metadata'> & {
  /** Whether the entries are all that stand: the endpoint gave the events, and there are not too many. */
  readonly areAll: boolean
}

/** What a card may have as a key, but the agent's wallet, which is no text. */
function isEntryKey(key: string): boolean {
  return /^[a-zA-Z0-9:_.-]{1,64}$/.test(key) && key !== 'agentWallet'
}

/** Twice as many as a card may hold. */
const mostKeys = 64
const patienceMs = 5_000

/** The entries that this package writes of every agent, and the image, which many have. */
export const usualKeys: readonly string[] = ['handle', 'interfaceType', 'role', 'protocol:name', 'vault:chain', 'image']

export type Standing = {
  readonly owner: Address
  readonly agentURI: string
  /** `null` where the registry keeps none. */
  readonly agentWallet: Address | null
  readonly metadata: Readonly<Record<string, string>>
}

/** Twice the longest that a card may hold, so that what is cut differs from every card. */
const mostBytes = 4_096

/** Older registries have neither wallets nor metadata. */
function absent(error: unknown): null {
  if (isRefusal(error)) return null
  throw error
}
