import { hexToString, size, sliceHex, type Address } from 'viem'
import { abortable, withDeadline } from '../../with-deadline.ts'
import type { RegistryPlace } from './open-registry.ts'
import { identityRegistryAbi as abi, isRefusal, readAgent } from '../registry/identity-registry.ts'

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
