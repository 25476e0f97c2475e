import { type Address, isAddressEqual, zeroAddress } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import { identityRegistryAbi, isRefusal } from '../registry/identity-registry.ts'
import { erc8004V1, handleV0, registrySpeech, type RegistrySpeech } from '../registry/registry-speech.ts'
import type { RegistryPlace } from './open-registry.ts'
import { abortIn, endpointFailure, requireChain } from '../../endpoint-failure.ts'
import { walletErrorTable } from '../../wallet-error-table.ts'
import { identityRegistries } from './identity-registries.ts'

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
