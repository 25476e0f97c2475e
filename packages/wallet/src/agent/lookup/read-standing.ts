import { hexToString, size, sliceHex, type Address } from 'viem'
import type { RegistryPlace } from './open-registry.ts'
import { identityRegistryAbi as abi, isRefusal, readAgent } from '../registry/identity-registry.ts'

/**
 * What stands on chain of an agent: one round of questions, of one block as a rule. Entries that are not there are left
 * out, and long ones are cut. Throws `AGENT_NOT_FOUND` or `RPC_UNAVAILABLE`.
 */
export async function readStanding(place: RegistryPlace, tokenId: bigint, keys: readonly string[]): Promise<Standing> {
  const { client, registry: address } = place
  return readAgent(tokenId, async () => {
    const [owner, agentURI, agentWallet, metadata] = await Promise.all([
      client.readContract({ address, abi, functionName: 'ownerOf', args: [tokenId] }),
      client.readContract({ address, abi, functionName: 'tokenURI', args: [tokenId] }),
      client.readContract({ address, abi, functionName: 'getAgentWallet', args: [tokenId] }).catch(absent),
      readMetadata(place, tokenId, keys),
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

/** The entries that this package writes of every agent. */
export const shownKeys: readonly string[] = ['handle', 'interfaceType', 'role', 'protocol:name', 'vault:chain']

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
