import { createPublicClient, fallback, getAddress, http, isAddress, type Address, type PublicClient } from 'viem'
import type { Chain } from '../chain.ts'
import { chains } from '../chains.ts'
import type { ServiceWallet } from '../service-wallet.ts'
import { WalletError } from '../wallet-error.ts'
import { identityRegistries, type RegistryForm } from './identity-registries.ts'
import type { AgentRegistrationConfig } from './registration.ts'

/**
 * Finds the registry of a chain and the way there, without asking anybody. Throws `VALIDATION_CHAIN_NOT_SUPPORTED`, or
 * `VALIDATION_CONFIG_INVALID` for a chain without an endpoint.
 */
export function openRegistry(wallet: ServiceWallet, options: RegistryOptions): OpenRegistry {
  const chainId = options.chainId ?? wallet.chainId
  if (chainId === null || !Number.isSafeInteger(chainId) || chainId < 1) {
    throw invalid('chainId is not valid; accepted: a positive integer, in the options or in the wallet.')
  }
  const { identity, form } = registryOf(chainId, options)
  const chain = chainOf(chainId, options.chains ?? [])
  const own = wallet.rpcUrls[chainId]
  const [rpcUrl, ...others] = own === undefined ? chain.publicRpcUrls : [own]
  if (rpcUrl === undefined) throw invalid(`Chain ${chainId} has no public endpoint; name one in the wallet's rpcUrls.`)
  const transports = [rpcUrl, ...others].map((url) => http(url, { batch: true, timeout: 10_000, retryCount: 1 }))
  const client = createPublicClient({ transport: fallback(transports) })
  return { chain, client, rpcUrl, registry: identity, form }
}

export type RegistryOptions = Pick<AgentRegistrationConfig, 'chainId' | 'registry' | 'chains'>

export type OpenRegistry = {
  readonly chain: ChainFacts
  readonly client: PublicClient
  readonly rpcUrl: string
  readonly registry: Address
  /** `null`: to be found out by asking the contract. */
  readonly form: RegistryForm | null
}

/** What of a chain's row a registration needs. */
export type ChainFacts = Pick<
  Chain,
  | 'id'
  | 'name'
  | 'testnet'
  | 'nativeCurrency'
  | 'publicRpcUrls'
  | 'explorerUrl'
  | 'confirmations'
  | 'blockTimeSeconds'
  | 'logRangeBlocks'
>

function registryOf(chainId: number, { registry }: RegistryOptions): { identity: Address; form: RegistryForm | null } {
  const row = Object.hasOwn(identityRegistries, chainId) ? identityRegistries[chainId] : undefined
  if (registry?.identity !== undefined && registry.identity !== null) {
    if (!isAddress(registry.identity)) throw invalid('registry.identity is not valid; accepted: an address.')
    return { identity: getAddress(registry.identity), form: registry.form ?? null }
  }
  if (row === undefined || row.identity === null || row.support === 'pending') throw unsupported(chainId)
  return { identity: row.identity, form: registry?.form ?? row.form }
}

function unsupported(chainId: number): WalletError {
  const supported = Object.entries(identityRegistries)
    .filter(([, { support }]) => support !== 'pending')
    .map(([id]) => Number(id))
  const known = identityRegistries[chainId]?.identity ?? null
  const override =
    known === null ? '' : ` A registry is known at ${known}: name it in the registry option to register there.`
  return new WalletError('VALIDATION_CHAIN_NOT_SUPPORTED', `Chain ${chainId} has no supported identity registry.`, {
    suggestion: `Use a supported chain: ${supported.join(', ')}.${override}`,
    details: { chainId, supported, knownRegistry: known },
  })
}

function chainOf(chainId: number, more: readonly Chain[]): ChainFacts {
  return [...more, ...chains].find(({ id }) => id === chainId) ?? unlisted(chainId)
}

/** A chain without a row of its own: a local one, as a rule. */
function unlisted(id: number): ChainFacts {
  return {
    id,
    name: `chain-${id}`,
    testnet: true,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    publicRpcUrls: [],
    explorerUrl: null,
    confirmations: 1,
    blockTimeSeconds: 1,
    logRangeBlocks: 10_000,
  }
}

function invalid(message: string): WalletError {
  return new WalletError('VALIDATION_CONFIG_INVALID', message)
}
