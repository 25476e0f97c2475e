import { WalletError } from '../../wallet-error.ts'
import type { AgentCard } from './agent-card.ts'
import { buildAgentCard, type AgentCardOptions } from './build-agent-card.ts'
import type { RegistrationContext } from '../registration/registration-context.ts'

/**
 * The card that is registered: options first, then `SVC_AGENT_NAME`, then the role's template. Throws
 * `VALIDATION_CARD_INVALID` and `VALIDATION_CONFIG_INVALID`.
 */
export function prepareCard(context: CardContext): AgentCard {
  const card = cardOf(context)
  context.progress('build-card', `Registering ${JSON.stringify(card.name)} as ${card.metadata['role']}.`)
  return card
}

/** The same, before anything comes of it. */
export function cardOf({ options, env, chain }: Omit<CardContext, 'progress'>): AgentCard {
  const name = options.name ?? (env['SVC_AGENT_NAME'] || undefined)
  if (name === undefined) {
    const accepted = 'the option name, or SVC_AGENT_NAME in the environment'
    throw new WalletError(
      'VALIDATION_CARD_INVALID',
      `The agent card is not valid: name is missing (accepted: ${accepted}).`,
      {
        details: { fields: [{ field: 'name', accepted }] },
      },
    )
  }
  return buildAgentCard({ ...options, name }, chain.id)
}

/** What of the context bears on the card. */
export type CardContext = Pick<RegistrationContext, 'env' | 'chain' | 'progress'> & {
  readonly options: AgentCardOptions
}
