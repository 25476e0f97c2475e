import { isAddressEqual, zeroAddress, type Address, type PublicClient } from 'viem'
import { WalletError } from '../wallet-error.ts'
import type { OpenRegistry } from './open-registry.ts'
import { erc8004V1 } from './registry/erc8004-v1.ts'
import { handleV0 } from './registry/handle-v0.ts'
import { identityRegistryAbi } from './registry/identity-registry-abi.ts'
import type { RegistrySpeech } from './registry/registry-form.ts'

/**
 * One round of questions before anything is sent: does the endpoint serve the chain, is there code at the registry, how
 * many agents has the wallet there. Throws `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`, `REGISTRY_NOT_DEPLOYED` or
 * `VALIDATION_REGISTRY_ABI_UNKNOWN`.
 */
export async function lookAtRegistry(open: OpenRegistry, owner: Address): Promise<RegistrySighting> {
  const { client, chain, registry, form } = open
  const [chainId, code, agents] = await Promise.all([
    client.getChainId(),
    client.getCode({ address: registry }),
    client
      .readContract({ address: registry, abi: identityRegistryAbi, functionName: 'balanceOf', args: [owner] })
      .catch(() => null),
  ]).catch((cause: unknown) => {
    throw new WalletError('RPC_UNAVAILABLE', `The endpoint of chain ${chain.id} does not answer.`, { cause })
  })
  if (chainId !== chain.id) {
    throw new WalletError('RPC_CHAIN_MISMATCH', `The endpoint serves chain ${chainId}, not ${chain.id}.`)
  }
  if (code === undefined || code === '0x') {
    throw new WalletError('REGISTRY_NOT_DEPLOYED', `There is no contract at ${registry} on chain ${chain.id}.`)
  }
  const speech = form === null ? await probe(client, registry, owner) : speeches[form]
  return { speech, agents }
}

export type RegistrySighting = {
  readonly speech: RegistrySpeech
  /** How many the wallet owns; `null` where the registry does not count. */
  readonly agents: bigint | null
}

const speeches = { 'erc8004-v1': erc8004V1, 'handle-v0': handleV0 } as const

/** Tries each form from the wallet itself, since a registry may refuse an owner that cannot hold tokens. */
async function probe(client: PublicClient, registry: Address, owner: Address): Promise<RegistrySpeech> {
  const trial = { handle: `probe-${owner.toLowerCase()}`, metadataURI: 'data:,', metadata: {} }
  const account = isAddressEqual(owner, zeroAddress) ? undefined : owner
  for (const speech of [erc8004V1, handleV0]) {
    const data = speech.encodeRegister({ ...trial, interfaceType: 'none' })
    const answer = await client.call({ to: registry, data, ...(account && { account }) }).catch(() => null)
    // Both forms give the id back; a fallback function that takes everything gives nothing.
    if (answer?.data?.length === 66) return speech
  }
  throw new WalletError('VALIDATION_REGISTRY_ABI_UNKNOWN', `The contract at ${registry} takes no known registration.`)
}
