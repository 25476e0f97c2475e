import {
  type Chain,
  findAgents,
  getAgent,
  identityRegistries,
  planRegistration,
  registeredAgentIn,
  requestGrant,
  WalletError,
} from '@svc/wallet/core'
import { type ErrorCode, type ErrorDetail, type RpcPool, ToolError } from '@svc/amm'
import { registryOf } from '@svc/engine'
import { type Address, encodeFunctionData, erc20Abi, type PublicClient } from 'viem'
import type { Identities, RegistrationRequest } from '../ports.ts'
import type { Config } from '../config/config-shape.ts'
import type { EndpointProbe } from '../reach/guarded-request.ts'
import { callAnswer } from '@svc/amm/rpc'

/**
 * Reads registries over the endpoints of this server, and plans what is registered in them. Of what strangers wrote it
 * reads nothing; files are read from the operator's gateway and published through the operator's own services alone.
 */
export function createIdentities(options: IdentitiesOptions): Identities {
  const { rpc, upstream, isLive, fetch = globalThis.fetch } = options
  const registryAt = (chain: Chain) => {
    const registry = registryOf(chain)
    if (registry === null) throw unsupportedChain(chain, options.chains)
    return registry
  }
  const placeOf = (chain: Chain, blockNumber?: bigint) => {
    const { address: identity, form } = registryAt(chain)
    const newest = rpc.client(chain)
    const client = blockNumber === undefined ? newest : clientAtBlock(newest, blockNumber)
    return { client, registry: { identity, form }, chains: [chain] }
  }
  return Object.freeze({
    requireRegistry: (chain: Chain) => void registryAt(chain),
    get: (chain: Chain, tokenId: string, signal: AbortSignal, blockNumber?: bigint) =>
      withToolErrors(() => {
        const gatewayUrl = upstream.gatewayUrl ?? undefined
        const place = placeOf(chain, blockNumber)
        return getAgent({ ...place, env: {}, fetch, agentId: `${chain.id}:${tokenId}`, gatewayUrl, signal })
      }),
    find: (chain: Chain, owner: Address, blockNumber?: bigint) =>
      withToolErrors(() => findAgents({ ...placeOf(chain, blockNumber), chainId: chain.id, owner })),
    count: async (chain: Chain, owner: Address) => {
      const { client, registry } = placeOf(chain)
      const read = {
        to: registry.identity,
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
      }
      // A registry that does not count answers nothing, as `find` says of it.
      return { ...read, answer: await callAnswer(client, read) }
    },
    plan: (chain: Chain, request: RegistrationRequest, signal: AbortSignal) =>
      withToolErrors(() => {
        const asked = { chainId: chain.id, ...servicesOf(upstream), ...given(request) }
        return planRegistration({ ...placeOf(chain), ...asked, env: {}, fetch, signal })
      }),
    registeredIn: registeredAgentIn,
    grant: (chain: Chain, owner: Address, signal: AbortSignal) => {
      const { appId, apiUrl } = upstream
      const place = { client: rpc.client(chain), ...(apiUrl === null ? {} : { apiUrl }) }
      return withToolErrors(() => requestGrant({ ...place, chain, owner, appId, fetch, signal }))
    },
    isLive,
  } satisfies Identities)
}

export type IdentitiesOptions = {
  readonly rpc: Pick<RpcPool, 'client'>
  /** Of this server, to name those that have a registry. */
  readonly chains: readonly Chain[]
  readonly upstream: Pick<
    Config['upstream'],
    'appId' | 'apiUrl' | 'gatewayUrl' | 'ipfsMode' | 'pinningJwt' | 'agentName'
  >
  /** Asks addresses that strangers wrote on cards. */
  readonly isLive: EndpointProbe
  readonly fetch?: typeof fetch | undefined
}

/** What the operator has said, which a caller may say otherwise. */
function servicesOf({ appId, apiUrl, ipfsMode, pinningJwt, agentName }: IdentitiesOptions['upstream']) {
  return {
    appId,
    ipfsMode,
    ...(apiUrl !== null && { apiUrl }),
    ...(pinningJwt !== null && { pinningJwt }),
    ...(agentName !== null && { name: agentName }),
  }
}

function given({ owner, role, pin, ...optional }: RegistrationRequest) {
  const { name, description, mcpEndpoint, a2aEndpoint, ipfsMode } = optional
  return {
    owner,
    role,
    pin,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(mcpEndpoint !== undefined && { mcpEndpoint }),
    ...(a2aEndpoint !== undefined && { a2aEndpoint }),
    ...(ipfsMode !== undefined && { ipfsMode }),
  }
}

/** A chain in whose registry nothing is registered from here, with those where something is. */
function unsupportedChain(chain: Chain, chains: readonly Chain[]): ToolError {
  const supported = chains.filter((one) => registryOf(one) !== null).map(({ name }) => name)
  const known = Object.hasOwn(identityRegistries, chain.id) ? (identityRegistries[chain.id]?.identity ?? null) : null
  const message = `${chain.name} has no identity registry that this server calls.`
  const override =
    known === null
      ? ''
      : ` A registry is known at ${known}: the operator can switch it on as identityRegistry in the file of SVC_CHAINS_FILE.`
  return new ToolError('VALIDATION_CHAIN_NOT_SUPPORTED', message, {
    details: [{ field: 'chain', message, accepted: supported, knownRegistry: known }],
    suggestion: `Use ${supported.join(', ') || 'another server'}.${override}`,
  })
}

/** Runs work of the wallet package and tells its failures in codes of this server. */
async function withToolErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof WalletError ? toolErrorOf(error) : error
  }
}

function toolErrorOf(error: WalletError): ToolError {
  const { code, message, cause } = error
  // What the endpoint did is known more exactly below.
  if (cause instanceof ToolError) return cause
  const own = codes.get(code)
  if (own === undefined)
    return new ToolError('INTERNAL', 'The identity registry could not be worked with.', { cause: error })
  return new ToolError(own, message, { details: fieldsOf(error), cause: error })
}

/** Those of a caller's mistakes name the fields of the agent card. */
function fieldsOf({ details: { fields } }: WalletError): readonly ErrorDetail[] {
  if (!Array.isArray(fields)) return []
  return fields.flatMap((refused: unknown) => {
    if (typeof refused !== 'object' || refused === null || !('field' in refused) || !('accepted' in refused)) return []
    const [field, accepted] = [String(refused.field), String(refused.accepted)]
    return [{ field, message: `Accepted: ${accepted}`, accepted }]
  })
}

const codes: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['VALIDATION_CARD_INVALID', 'VALIDATION_FAILED'],
  ['VALIDATION_CONFIG_INVALID', 'VALIDATION_FAILED'],
  ['VALIDATION_PINNING_JWT_MISSING', 'VALIDATION_PINNING_JWT_MISSING'],
  ['AGENT_NOT_FOUND', 'AGENT_NOT_FOUND'],
  ['REGISTRY_NOT_DEPLOYED', 'REGISTRY_NOT_DEPLOYED'],
  ['VALIDATION_REGISTRY_ABI_UNKNOWN', 'REGISTRY_NOT_DEPLOYED'],
  ['RPC_UNAVAILABLE', 'RPC_UNAVAILABLE'],
  ['RPC_CHAIN_MISMATCH', 'RPC_CHAIN_MISMATCH'],
  ['ABORTED', 'CANCELLED'],
])

/**
 * The same client, to which no block after this one has come: calls and code are of it, and logs end with it. A read that it
 * cannot hold to a block throws a `TypeError`, so that no answer is of two.
 */
export function clientAtBlock(client: PublicClient, blockNumber: bigint): PublicClient {
  const atBlock = (read: object) => ({ ...read, blockNumber })
  const upToBlock = (filter: { readonly toBlock?: unknown }) => ({
    ...filter,
    toBlock: typeof filter.toBlock === 'bigint' && filter.toBlock < blockNumber ? filter.toBlock : blockNumber,
  })
  const held: ReadonlyMap<PropertyKey, (asked: object) => object> = new Map<PropertyKey, (asked: object) => object>([
    ['readContract', atBlock],
    ['call', atBlock],
    ['getCode', atBlock],
    ['getContractEvents', upToBlock],
  ])
  return new Proxy(client, {
    get(target, key, receiver) {
      if (key === 'getBlockNumber') return async () => blockNumber
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== 'function' || ofNoBlock.has(key)) return member
      const hold = held.get(key)
      return (asked: object): unknown => {
        if (hold === undefined) throw new TypeError(`A read by ${String(key)} is not held to a block.`)
        return Reflect.apply(member, target, [hold(asked)])
      }
    },
  })
}

const ofNoBlock: ReadonlySet<PropertyKey> = new Set(['getChainId'])
