import { findAgents, getAgent, type Chain, planRegistration, registeredAgentIn } from '@svc/wallet/core'
import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import type { Identities, RegistrationRequest } from '../ports/identities.ts'
import type { RpcPool } from '@svc/amm'
import type { Config } from '../config/config-shape.ts'
import { callAnswer } from '@svc/amm/rpc'
import { registryOf } from '@svc/engine'
import { unsupportedChain, withToolErrors } from './registry-errors.ts'

/**
 * Reads registries over the endpoints of this server, and plans what is registered in them. Of what strangers wrote it
 * asks nothing; files are read from the operator's gateway and published through the operator's own services alone.
 */
export function createIdentities(options: IdentitiesOptions): Identities {
  const { rpc, upstream, fetch = globalThis.fetch } = options
  const placeOf = (chain: Chain) => {
    const registry = registryOf(chain)
    if (registry === null) throw unsupportedChain(chain, options.chains)
    const { address: identity, form } = registry
    return { client: rpc.client(chain), registry: { identity, form }, chains: [chain] }
  }
  return Object.freeze({
    get: (chain: Chain, tokenId: string, signal: AbortSignal) =>
      withToolErrors(() => {
        const gatewayUrl = upstream.gatewayUrl ?? undefined
        return getAgent({ ...placeOf(chain), env: {}, fetch, agentId: `${chain.id}:${tokenId}`, gatewayUrl, signal })
      }),
    find: (chain: Chain, owner: Address) =>
      withToolErrors(() => findAgents({ ...placeOf(chain), chainId: chain.id, owner })),
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
  readonly fetch?: typeof fetch
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
