import { type Address, getAddress, isAddress, type PublicClient } from 'viem'
import type { Chain, OpenChain } from '../../chain.ts'
import { chainFacts, openChain } from '../../open-chain.ts'
import type { ServiceWallet } from '../../service-wallet.ts'
import { invalidField, missingField, WalletError } from '../../wallet-error.ts'
import type { AgentRegistrationConfig } from '../registration/registration.ts'
import { identityRegistries, type RegistryForm } from './identity-registries.ts'

/**
 * Finds the registry of a chain and the way there, without asking anybody. Throws `VALIDATION_CHAIN_NOT_SUPPORTED`, or
 * `VALIDATION_CONFIG_INVALID` for a chain without an endpoint.
 */
export function openRegistry(
  wallet: WalletPlace,
  options: RegistryOptions,
  place: 'wallet' | 'options' = 'wallet',
): OpenRegistry {
  const chainId = options.chainId ?? wallet.chainId
  const supported = chainId === null ? null : registryOf(chainId, options)
  const open = openChain(wallet, options, place)
  if (supported === null) throw missingField('chainId', 'a positive integer')
  return { ...open, registry: supported.identity, form: supported.form }
}

/** The same for those who have no wallet; `client` is used where it is given, and no other is built. Throws the same. */
export function openRegistryToRead(options: RegistryToRead & Pick<RegistryOptions, 'signal'>): RegistryPlace {
  const { chainId, client, chains, rpcUrls = {} } = options
  if (client === undefined) return openRegistry({ chainId, rpcUrls }, options, 'options')
  const { identity: registry, form } = registryOf(chainId, options)
  return { chain: chainFacts(chainId, chains), client, registry, form }
}

type WalletPlace = Pick<ServiceWallet, 'chainId' | 'rpcUrls'>

type RegistryOptions = Pick<AgentRegistrationConfig, 'chainId' | 'registry' | 'chains'> & {
  readonly signal?: AbortSignal | undefined
}

/** The registry of a chain, and the way to it without a wallet. */
export type RegistryToRead = Pick<AgentRegistrationConfig, 'registry'> & {
  readonly chainId: number
  /** Rows of chains that the table does not have, a local one for example. */
  readonly chains?: readonly Chain[] | undefined
  /** Endpoint by chain id; the public ones of the chain table where there is none. */
  readonly rpcUrls?: Readonly<Record<number, string>> | undefined
  readonly client?: PublicClient | undefined
}

export type OpenRegistry = OpenChain & RegistryPlace

/** Where a registry stands and how it is asked. */
export type RegistryPlace = Pick<OpenChain, 'chain' | 'client'> & {
  readonly registry: Address
  /** `null`: to be found out by asking the contract. */
  readonly form: RegistryForm | null
}

function registryOf(
  chainId: number,
  { registry, chains }: RegistryOptions,
): { identity: Address; form: RegistryForm | null } {
  const row = Object.hasOwn(identityRegistries, chainId) ? identityRegistries[chainId] : undefined
  const ofChain = chains?.find(({ id }) => id === chainId)?.identityRegistry
  if (registry?.identity !== undefined && registry.identity !== null) {
    if (!isAddress(registry.identity)) throw invalidField('registry.identity', 'an address')
    const identity = getAddress(registry.identity)
    const known = [ofChain && { identity: ofChain.address, form: ofChain.form }, row]
    const form = known.find((entry) => entry?.identity === identity)?.form ?? null
    return { identity, form: registry.form ?? form }
  }
  if (ofChain !== undefined) return { identity: ofChain.address, form: registry?.form ?? ofChain.form }
  if (row === undefined || row.identity === null || row.support === 'pending') throw unsupported(chainId)
  return { identity: row.identity, form: registry?.form ?? row.form }
}

function unsupported(chainId: number): WalletError {
  const supported = Object.entries(identityRegistries)
    .filter(([, { support }]) => support !== 'pending')
    .map(([id]) => Number(id))
  const known = identityRegistries[chainId]?.identity ?? null
  const override =
    known === null
      ? ' Or name the address of one as registry.identity.'
      : ` A registry is known at ${known}: name it as registry.identity to register there.`
  return new WalletError('VALIDATION_CHAIN_NOT_SUPPORTED', `Chain ${chainId} has no supported identity registry.`, {
    suggestion: `Use a supported chain: ${supported.join(', ')}.${override}`,
    details: { chainId, supported, knownRegistry: known },
  })
}

/** Takes `<chainId>:<tokenId>` apart. The first token id is 0. Throws `VALIDATION_CONFIG_INVALID`. */
export function parseAgentId(agentId: string): { readonly chainId: number; readonly tokenId: bigint } {
  const [, chain, token] = /^([1-9]\d{0,15}):(0|[1-9]\d{0,77})$/.exec(agentId) ?? []
  const chainId = Number(chain)
  const tokenId = BigInt(token ?? -1)
  if (chain !== undefined && Number.isSafeInteger(chainId) && tokenId < 2n ** 256n) return { chainId, tokenId }
  throw invalidField('agentId', agentIdForm)
}

export const agentIdForm = '<chainId>:<tokenId>, such as 8453:17'
