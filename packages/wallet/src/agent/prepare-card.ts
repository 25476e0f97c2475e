import type { AgentCard } from './agent-card.ts'
import { buildAgentCard, type AgentCardOptions } from './build-agent-card.ts'
import type { RegistrationTrip } from './registration-trip.ts'

/** The card that is registered: options first, then `SVC_AGENT_NAME`, then the role's template. */
export function prepareCard({ options, env, chain, progress }: CardTrip): AgentCard {
  const name = options.name ?? env['SVC_AGENT_NAME']
  const card = buildAgentCard({ ...options, ...(name === undefined ? {} : { name }) }, chain.id)
  progress('build-card', `Registering ${JSON.stringify(card.name)} as ${card.metadata['role']}.`)
  return card
}

/** What of a trip bears on the card. */
export type CardTrip = Pick<RegistrationTrip, 'env' | 'chain' | 'progress'> & { readonly options: AgentCardOptions }
