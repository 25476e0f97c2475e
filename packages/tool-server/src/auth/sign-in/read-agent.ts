import { ToolError } from '@svc/amm'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToString,
  isAddressEqual,
  parseAbi,
  type PublicClient,
  size,
  zeroAddress,
} from 'viem'
import type { AgentRole } from '@svc/wallet/core'

/**
 * The tokens of an identity registry that an address may sign in as: the one that it names, or else those that it registered itself, newest first. What
 * others sent it is not taken for its identity. None where the endpoint does not give the logs of all blocks: an agent is known there by
 * naming itself. Throws `RPC_*`, but for such a refusal.
 */
export async function candidates(
  { client, registry }: RegistryPlace,
  address: Address,
  named: string | null,
): Promise<readonly bigint[]> {
  if (named !== null) return [BigInt(named.slice(named.indexOf(':') + 1))]
  const filter = {
    address: registry,
    abi,
    eventName: 'Transfer',
    args: { from: zeroAddress, to: address },
    strict: true,
  } as const
  const logs = await client
    .getContractEvents({ ...filter, fromBlock: 0n, toBlock: 'latest' })
    .catch((error: unknown) => {
      if (error instanceof ToolError && error.code !== 'RPC_REFUSED') throw error
      return []
    })
  return [...new Set(logs.map(({ args }) => args.tokenId))].slice(-mostLookedAt).toReversed()
}

/**
 * The first of some agents that an address owns or is the wallet of, with its role: one batch of questions. `null` where it is none of them.
 * What a registry answers is taken for nothing but an address of twenty bytes, and a role that is known by its name. Throws `RPC_*`.
 */
export async function readAgent(
  place: RegistryPlace,
  address: Address,
  tokenIds: readonly bigint[],
): Promise<RegisteredAgent | null> {
  const read = await Promise.all(
    tokenIds.map(async (tokenId) => {
      const [owner, wallet, role] = await Promise.all([
        ask(place, { functionName: 'ownerOf', args: [tokenId] }),
        ask(place, { functionName: 'getAgentWallet', args: [tokenId] }),
        ask(place, { functionName: 'getMetadata', args: [tokenId, 'role'] }),
      ])
      return { tokenId, isIts: isAddress(owner, address) || isAddress(wallet, address), role: roleOf(role) }
    }),
  )
  const found = read.find(({ isIts }) => isIts)
  return found === undefined ? null : { tokenId: `${found.tokenId}`, role: found.role }
}

export type RegisteredAgent = {
  readonly tokenId: string
  /** Its owner's own word; `null` for what is no role. */
  readonly role: AgentRole | null
}

export type RegistryPlace = {
  readonly client: Pick<PublicClient, 'call' | 'getContractEvents'>
  readonly registry: Address
}

const abi = parseAbi([
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
  'function getMetadata(uint256 agentId, string metadataKey) view returns (bytes)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
])

/** Anybody can register for himself without end; an agent with more names itself. */
const mostLookedAt = 8

/** What reads of a registry take is a hundredth of it. */
const mostGas = 1_000_000n

/** What the registry answers, as far as its ABI can read it; `null` for everything else, reverts among it. */
async function ask(place: RegistryPlace, question: Question): Promise<Hex | null> {
  try {
    const data = encodeFunctionData({ abi, ...question })
    const answer = await place.client.call({ to: place.registry, data, gas: mostGas })
    return decodeFunctionResult({ abi, functionName: question.functionName, data: answer.data ?? '0x' })
  } catch (error) {
    if (error instanceof ToolError) throw error
    return null
  }
}

type Question =
  | { readonly functionName: 'ownerOf' | 'getAgentWallet'; readonly args: readonly [bigint] }
  | { readonly functionName: 'getMetadata'; readonly args: readonly [bigint, string] }

function isAddress(answer: Hex | null, address: Address): boolean {
  return answer !== null && size(answer) === 20 && isAddressEqual(answer, address)
}

function roleOf(answer: Hex | null): AgentRole | null {
  if (answer === null || size(answer) > mostRoleBytes) return null
  const text = hexToString(answer)
  return roles.find((role) => role === text) ?? null
}

const roles: readonly AgentRole[] = ['vault_participant', 'vault_manager', 'vault_creator']
const mostRoleBytes = 64
