import { requireAgentCard } from './require-agent-card.ts'
import type { AgentCard, AgentService } from './agent-card.ts'
import type { AgentRegistrationConfig } from './registration.ts'
import { roleTemplates } from './role-templates.ts'
import { WalletError } from '../wallet-error.ts'

/**
 * Fills the template of the role with what the owner says. Each field of the template gives way to the option of its
 * name; `metadata` is merged key by key. Throws `VALIDATION_CONFIG_INVALID` or `VALIDATION_CARD_INVALID`.
 */
export function buildAgentCard(options: AgentCardOptions, chainId: number): AgentCard {
  if (!Object.hasOwn(roleTemplates, options.role)) {
    throw new WalletError(
      'VALIDATION_CONFIG_INVALID',
      `role is not valid; accepted: ${Object.keys(roleTemplates).join(', ')}.`,
    )
  }
  const { description, domains, trust, mayServeA2a } = roleTemplates[options.role]
  if (options.a2aEndpoint !== undefined && !mayServeA2a) {
    throw new WalletError('VALIDATION_CONFIG_INVALID', `a2aEndpoint does not belong to the role ${options.role}.`)
  }
  return requireAgentCard({
    name: options.name,
    description: options.description ?? description,
    domains: options.domains ?? domains,
    services: options.services ?? servicesOf(options),
    trust: options.trust ?? trust,
    metadata: {
      'protocol:name': protocolName,
      role: options.role,
      'vault:chain': `${chainId}`,
      ...(options.image === undefined ? {} : { image: options.image }),
      ...options.metadata,
    },
  })
}

/** The options that a card is made of. */
export type AgentCardOptions = Pick<
  AgentRegistrationConfig,
  | 'name'
  | 'description'
  | 'role'
  | 'mcpEndpoint'
  | 'a2aEndpoint'
  | 'image'
  | 'domains'
  | 'services'
  | 'trust'
  | 'metadata'
>

const protocolName = 'svc'

function servicesOf({ mcpEndpoint, a2aEndpoint }: AgentCardOptions): AgentService[] {
  return [
    ...(mcpEndpoint === undefined ? [] : [{ type: 'mcp', url: mcpEndpoint } as const]),
    ...(a2aEndpoint === undefined ? [] : [{ type: 'a2a', url: agentCardUrl(a2aEndpoint) } as const]),
  ]
}

/** The spec's address of an A2A card: a bare address gets the well-known path. */
function agentCardUrl(endpoint: string): string {
  const path = '/.well-known/agent.json'
  return endpoint.endsWith(path) ? endpoint : `${endpoint.replace(/\/+$/, '')}${path}`
}
