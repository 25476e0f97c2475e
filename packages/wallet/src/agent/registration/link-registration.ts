import type { ServiceWallet } from '../../service-wallet.ts'
import { WalletError } from '../../wallet-error.ts'
import type { AgentCardOptions } from '../card/build-agent-card.ts'
import { openRegistry, parseAgentId } from '../lookup/open-registry.ts'
import { updateAgent, type AgentUpdateConfig, type UpdateResult } from '../update-agent.ts'

/**
 * Puts into the registration file where the agent is registered, which the file could not say before there was an id:
 * `registrations` gets the registry and the token id, and the rest of the card stays as it stands. Resolves and throws as
 * {@link updateAgent} does; what belongs to the card is refused with `VALIDATION_CONFIG_INVALID`.
 */
export async function linkRegistration(wallet: ServiceWallet, options: LinkRegistrationConfig): Promise<UpdateResult> {
  const given = Object.keys(cardFields).find((field) => Reflect.get(options, field) !== undefined)
  if (given !== undefined) {
    throw new WalletError(
      'VALIDATION_CONFIG_INVALID',
      `${given} is not accepted: linking changes nothing of the card.`,
      {
        suggestion: `Leave ${given} out, or change the card with updateAgent.`,
        details: { fields: [{ field: given, accepted: 'nothing' }] },
      },
    )
  }
  const { chainId, tokenId } = parseAgentId(options.agentId)
  const { registry } = openRegistry(wallet, { ...options, chainId })
  return updateAgent(wallet, { ...options, metadata: { registration: `eip155:${chainId}:${registry}/${tokenId}` } })
}

/** As for an update, without what a card is made of. */
export type LinkRegistrationConfig = Omit<AgentUpdateConfig, keyof AgentCardOptions | 'replace'> & {
  readonly [Field in keyof AgentCardOptions | 'replace']?: never
}

const cardFields = {
  name: true,
  description: true,
  role: true,
  mcpEndpoint: true,
  a2aEndpoint: true,
  image: true,
  domains: true,
  services: true,
  trust: true,
  metadata: true,
  replace: true,
} satisfies Record<keyof AgentCardOptions | 'replace', true>
