import type { PublicClient } from 'viem'
import type { ChainFacts } from '../chain-facts.ts'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'

/**
 * Passes a request on to the chain's endpoint: every read, and bytes that are signed already. What would act on the
 * endpoint's own accounts or administer the node is refused with 4200, on a local chain only the former.
 */
export function forwardToNode({ client, chain }: Target, request: NodeRequest): Promise<unknown> {
  const { method } = request
  const isForeign = ofNodeAccounts.has(method) || ofOthers.test(method) || !/^[a-z0-9]+_\w+$/i.test(method)
  if (isForeign || (administration.test(method) && chain.local !== true)) {
    throw new ProviderRpcError(rpcCodes.unsupportedMethod, `The provider does not offer ${method.slice(0, 60)}.`)
  }
  return client.transport.request({ method, params: request.params })
}

export type NodeRequest = { readonly method: string; readonly params: readonly unknown[] | object }

type Target = { readonly client: PublicClient; readonly chain: Pick<ChainFacts, 'local'> }

const ofNodeAccounts: ReadonlySet<string> = new Set([
  'eth_sign',
  'eth_signTransaction',
  'eth_signTypedData',
  'eth_signTypedData_v3',
  'eth_sendTransaction',
])

/** Accounts and consensus: never ours to ask for. */
const ofOthers = /^(?:personal|wallet|engine|admin|clique)_/

const administration = /^(?:anvil|hardhat|evm|debug|miner|txpool)_/
