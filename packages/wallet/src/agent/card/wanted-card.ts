import { WalletError, type Json } from '../../wallet-error.ts'
import type { AgentCard, AgentRole } from './agent-card.ts'
import { buildAgentCard, servicesOf, templateOf, type AgentCardOptions } from './build-agent-card.ts'
import { cardInFile } from './card-in-file.ts'
import type { AgentFile } from '../lookup/read-agent-file.ts'
import type { Standing } from '../lookup/read-standing.ts'
import { requireAgentCard } from './require-agent-card.ts'
import { roleTemplates } from '../role-templates.ts'

/**
 * What an agent's card is, and what the options make of it: what they leave out stays. `current` is `null` where the file
 * is replaced as a whole. Throws `AGENT_FILE_NOT_KEPT` when the file cannot be read or holds more than a card, and what
 * {@link buildAgentCard} throws.
 */
export function wantedCard(
  { metadata }: Pick<Standing, 'metadata'>,
  { status, file, content, warnings }: AgentFile,
  options: ChangesOfCard,
  chainId: number,
): WantedCard {
  const role = options.role ?? roleIn(file?.metadata['role'] ?? metadata['role'])
  if (options.replace === true) {
    const name = options.name ?? file?.name ?? metadata['handle']
    const wanted = buildAgentCard(
      { ...options, ...(name === undefined ? {} : { name }), role: role ?? unsaid },
      chainId,
    )
    return { current: null, wanted }
  }
  if (file === null) throw notKept('The current registration file cannot be read.', { fileStatus: status })
  const { card, lost } = cardInFile(file, content)
  const members = [...lost, ...warnings]
  if (members.length > 0) throw notKept('The current registration file says what a card cannot.', { members })
  const current = { ...card, metadata: { ...keptOnChain(metadata), ...card.metadata } }
  return { current, wanted: changed(current, options, role) }
}

export type ChangesOfCard = Partial<AgentCardOptions> & {
  /** Writes a whole new file from role and options, whatever the current one says. */
  readonly replace?: boolean
}

export type WantedCard = { readonly current: AgentCard | null; readonly wanted: AgentCard }

/** Refused by name where a role is needed and none is known. */
export const unsaid = '' as AgentRole

function changed(current: AgentCard, options: ChangesOfCard, role: AgentRole | null): AgentCard {
  const { name, description, domains, trust, image, metadata } = options
  if (options.role !== undefined || (options.a2aEndpoint !== undefined && role !== null)) {
    templateOf({ ...options, role: role ?? unsaid })
  }
  const named = servicesOf(options)
  const others = current.services.filter(({ type }) => !named.some((service) => service.type === type))
  return requireAgentCard({
    name: name ?? current.name,
    description: description ?? current.description,
    domains: domains ?? current.domains,
    services: options.services ?? (named.length === 0 ? current.services : [...named, ...others]),
    trust: trust ?? current.trust,
    metadata: {
      ...current.metadata,
      ...(options.role === undefined ? {} : { role: options.role }),
      ...(image === undefined ? {} : { image }),
      ...metadata,
    },
  })
}

function roleIn(text: string | undefined): AgentRole | null {
  return text !== undefined && isRole(text) ? text : null
}

function isRole(text: string): text is AgentRole {
  return Object.hasOwn(roleTemplates, text)
}

/** Handle and interface are made of the card; the rest of what stands on chain a small file leaves out. */
function keptOnChain(metadata: Standing['metadata']): Standing['metadata'] {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== 'handle' && key !== 'interfaceType'))
}

function notKept(message: string, details: Readonly<Record<string, Json>>): WalletError {
  return new WalletError('AGENT_FILE_NOT_KEPT', message, { details })
}
