import type { Address, Log } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import type { RegistryForm } from './identity-registries.ts'
import { registrySpeech } from '../registry/registry-speech.ts'

/**
 * The id that the logs of a registration show: those of the registry itself, for the owner, and those that name the URI
 * before others. Give the logs of the call; of an operation in a bundle its own alone. Throws `REGISTRATION_AMBIGUOUS`,
 * whose `details` name the candidates, unless it is exactly one.
 */
export function registeredAgentIn(
  logs: readonly Log[],
  { chainId, registry, owner, agentURI, form }: AwaitedRegistration,
): { readonly agentId: string; readonly tokenId: string } {
  const candidates = registrySpeech(form).registeredIn(logs, { registry, owner, agentURI })
  const [tokenId] = candidates
  if (tokenId !== undefined && candidates.length === 1) {
    return { agentId: `${chainId}:${tokenId}`, tokenId: `${tokenId}` }
  }
  const txHash = logs[0]?.transactionHash ?? null
  throw new WalletError('REGISTRATION_AMBIGUOUS', `The transaction shows ${candidates.length} registrations.`, {
    details: { txHash, candidates: candidates.map(String) },
  })
}

/** As {@link planRegistration} gives it. */
export type AwaitedRegistration = {
  readonly chainId: number
  readonly registry: Address
  readonly owner: Address
  readonly agentURI: string
  readonly form: RegistryForm
}
