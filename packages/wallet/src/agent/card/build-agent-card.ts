import { requireAgentCard, type AgentCard, type AgentDomain, type AgentRole, type AgentService } from './agent-card.ts'
import type { AgentRegistrationConfig, IpfsMode } from '../registration/registration.ts'
import { isRecord } from '../../shape.ts'
import { WalletError, invalidField, missingField } from '../../wallet-error.ts'
import type { RegistryForm } from '../lookup/identity-registries.ts'
import type { RegistrationContext } from '../registration/registration-context.ts'

/**
 * Fills the template of the role with what the owner says. Each field of the template gives way to the option of its
 * name; `metadata` is merged key by key. Throws `VALIDATION_CONFIG_INVALID` or `VALIDATION_CARD_INVALID`, which calls a field
 * as `names` does.
 */
export function buildAgentCard(
  options: AgentCardOptions,
  chainId: number,
  names: ReadonlyMap<string, string> = optionNames(options),
): AgentCard {
  const { description, domains, trust } = templateOf(options)
  const card = {
    name: options.name,
    description: options.description ?? description,
    domains: options.domains ?? domains,
    services: options.services ?? servicesOf(options),
    trust: options.trust ?? trust,
    metadata: said(
      mergedMetadata(
        {
          'protocol:name': protocolName,
          role: options.role,
          'vault:chain': `${chainId}`,
          ...(options.image === undefined ? {} : { image: options.image }),
        },
        options.metadata,
      ),
    ),
  }
  return requireAgentCard(card, names)
}

/** Key by key. What is no object of entries stays as it is, for the check of the card to refuse. */
export function mergedMetadata(
  entries: AgentCard['metadata'],
  given: AgentCard['metadata'] | undefined,
): AgentCard['metadata'] {
  return given === undefined || isRecord(given) ? { ...entries, ...given } : given
}

/** An agent that is of no protocol, or has no vaults, gives these two without content, and its card has none of them. */
function said(entries: AgentCard['metadata']): AgentCard['metadata'] {
  if (!isRecord(entries)) return entries
  const isEmpty = ([key, value]: readonly [string, string]) => value === '' && /^(protocol:name|vault:chain)$/.test(key)
  return Object.fromEntries(Object.entries(entries).filter((entry) => !isEmpty(entry)))
}

/** The fields of a card whose values are those of options with other names, for whoever is refused one. */
export function optionNames(options: Partial<AgentCardOptions>): ReadonlyMap<string, string> {
  const { services, mcpEndpoint, a2aEndpoint, image, metadata } = options
  const endpoints = [
    ...(mcpEndpoint === undefined ? [] : ['mcpEndpoint']),
    ...(a2aEndpoint === undefined ? [] : ['a2aEndpoint']),
  ]
  return new Map([
    ...(services === undefined ? endpoints.map((name, index) => [`services[${index}].url`, name] as const) : []),
    ...(image === undefined || metadata?.['image'] !== undefined ? [] : [['metadata.image', 'image'] as const]),
  ])
}

/** Stands for a role that is needed and not known: it is refused as missing. */
export const unsaid = '' as AgentRole

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

/** The template of the role, which must be one, and must have what the options give. */
export function templateOf({ role, a2aEndpoint }: Pick<AgentCardOptions, 'role' | 'a2aEndpoint'>): RoleTemplate {
  if (!Object.hasOwn(roleTemplates, role)) {
    const accepted = Object.keys(roleTemplates).join(', ')
    throw role === unsaid ? missingField('role', accepted) : invalidField('role', accepted)
  }
  const template = roleTemplates[role]
  if (a2aEndpoint !== undefined && typeof a2aEndpoint !== 'string') {
    throw invalidField('a2aEndpoint', 'an address')
  }
  if (a2aEndpoint === undefined || template.mayServeA2a) return template
  throw new WalletError('VALIDATION_CONFIG_INVALID', `a2aEndpoint does not belong to the role ${role}.`, {
    suggestion: 'Leave a2aEndpoint out, or take the role vault_manager or vault_creator.',
    details: { fields: [{ field: 'a2aEndpoint', accepted: 'nothing, with this role' }] },
  })
}

const protocolName = 'svc'

/** The services that the endpoints of the options come to. */
export function servicesOf({
  mcpEndpoint,
  a2aEndpoint,
}: Pick<AgentCardOptions, 'mcpEndpoint' | 'a2aEndpoint'>): AgentService[] {
  return [
    ...(mcpEndpoint === undefined ? [] : [{ type: 'mcp', url: mcpEndpoint } as const]),
    ...(a2aEndpoint === undefined ? [] : [{ type: 'a2a', url: agentCardUrl(a2aEndpoint) } as const]),
  ]
}

/** The spec's address of an A2A card where an origin alone is given; one that leads further is where its owner has it. */
function agentCardUrl(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint
  const { pathname, search, hash } = new URL(endpoint)
  const isOrigin = pathname === '/' && search === '' && hash === ''
  return isOrigin ? `${endpoint.replace(/\/+$/, '')}/.well-known/agent.json` : endpoint
}

const domains = {
  management: { domain: 'finance_and_business/asset_management', primary: false },
  software: { domain: 'technology/software_development', primary: false },
} as const satisfies Record<string, AgentDomain>

/** What a card says when its owner says nothing else, by role. */
export const roleTemplates: Readonly<Record<AgentRole, RoleTemplate>> = Object.freeze({
  vault_participant: template('Takes part in liquidity vaults on behalf of its owner.', []),
  vault_manager: template('Manages the liquidity of vaults within the limits its owner sets.', ['management']),
  vault_creator: template('Creates and manages liquidity vaults within the limits its owner sets.', [
    'management',
    'software',
  ]),
})

type RoleTemplate = Pick<AgentCard, 'description' | 'domains' | 'trust'> & {
  /** Whether an `a2a` service belongs to the role. */
  readonly mayServeA2a: boolean
}

function template(description: string, more: readonly (keyof typeof domains)[]): RoleTemplate {
  return Object.freeze({
    description,
    domains: [
      { domain: 'finance_and_business/investment_services', primary: true },
      ...more.map((name) => domains[name]),
    ],
    trust: { reputation: true, cryptoEconomic: true, zkml: false },
    mayServeA2a: more.length > 0,
  })
}

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
  const ofVariable = options.name === undefined ? [['name', 'SVC_AGENT_NAME'] as const] : []
  return buildAgentCard({ ...options, name }, chain.id, new Map([...optionNames(options), ...ofVariable]))
}

/** What of the context bears on the card. */
type CardContext = Pick<RegistrationContext, 'env' | 'chain' | 'progress'> & {
  readonly options: AgentCardOptions
}

/** The sentence that warns of what the small file of the third tier does not say of a card, and why it was written; or none. */
export function leftOutOfMinimal({ services, metadata, domains, trust }: AgentCard, why: WhySmall): string[] {
  const leftOut = [
    ...services.slice(1).map(({ type }) => `the ${type} service`),
    ...(metadata['image'] ? ['image'] : []),
    // The first service of the file, where the card has none, is the taxonomy, which names them.
    ...(domains.length === 0 || services.length === 0 ? [] : ['domains']),
    ...(Object.values(trust).includes(true) ? ['trust'] : []),
  ]
  if (leftOut.length === 0) return []
  const what = `The small file of a direct registration leaves out: ${leftOut.join(', ')}.`
  return [`${what} It is written in the place of the whole card since ${reasons[why]}.`]
}

/** Why a registration comes to the small file. */
export type WhySmall = keyof typeof reasons

const reasons = {
  'no-sdk':
    'no identity SDK (agent0-sdk) is there to register by; updateAgent adds what it is given, and all of it with replace: true and the options of this call',
  'sdk-failed':
    'the identity SDK failed; updateAgent adds what it is given, and all of it with replace: true and the options of this call',
  'handle-v0': 'registries of the form handle-v0 take no other',
} as const

/** The sentence that warns where a mode that pins had nothing pinned, since the tier has no file beside its URI. */
export function nothingPinned(mode: IpfsMode, form: RegistryForm): string[] {
  if (mode === 'inline') return []
  const why =
    form === 'handle-v0'
      ? 'a registry of the form handle-v0 is called directly'
      : 'the registry was called without the identity SDK (agent0-sdk)'
  return [`Nothing was pinned by ipfsMode "${mode}": ${why}, and the small file is in the URI itself.`]
}
