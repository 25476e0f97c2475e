import { WalletError } from '../../wallet-error.ts'
import type { PublishedFile, PublishedService, AgentFile, FileStatus } from '../lookup/read-agent-file.ts'
import { registrationForm, registrationFile } from './registration-file.ts'
import { type Standing, usualKeys } from '../lookup/look-at-registry.ts'
import { type AgentCard, type AgentRole, type AgentService, requireAgentCard } from './agent-card.ts'
import {
  type AgentCardOptions,
  buildAgentCard,
  mergedMetadata,
  optionNames,
  roleTemplates,
  servicesOf,
  templateOf,
  unsaid,
} from './build-agent-card.ts'

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
    const entries = mergedMetadata(registrationKept(file), options.metadata)
    const wanted = buildAgentCard(
      { ...options, ...(name === undefined ? {} : { name }), role: role ?? unsaid, metadata: entries },
      chainId,
    )
    return { current: null, wanted, warnings: replaced(file, wanted, options) }
  }
  if (file === null) throw notKept('The current registration file cannot be read.', { fileStatus: status, members: [] })
  const { card, lost } = cardInFile(file, content)
  const members = [...lost, ...warnings]
  if (members.length > 0)
    throw notKept('The current registration file says what a card cannot.', { fileStatus: status, members })
  const isSmall = memberOf(content, 'metadata') === undefined
  const current = { ...card, metadata: { ...keptOnChain(metadata, isSmall), ...card.metadata } }
  return { current, wanted: changed(current, options, role), warnings: [] }
}

type ChangesOfCard = Partial<AgentCardOptions> & {
  /** Writes a whole new file from role and options, whatever the current one says. */
  readonly replace?: boolean | undefined
}

export type WantedCard = {
  readonly current: AgentCard | null
  readonly wanted: AgentCard
  /** What comes and goes with a file that is written as a whole. */
  readonly warnings: readonly string[]
}

/** Where the agent is registered stays so, whatever else its file says. */
function registrationKept(file: PublishedFile | null): AgentCard['metadata'] {
  const [registration] = file === null ? [] : registrationsIn(file).filter((text) => registrationForm.test(text))
  return registration === undefined ? {} : { registration }
}

function registrationsIn({ metadata, registrations }: PublishedFile): readonly string[] {
  const said = metadata['registration']
  return [
    ...(said === undefined ? [] : [said]),
    ...registrations.map(({ agentRegistry, agentId }) => `${agentRegistry}/${agentId}`),
  ]
}

/** The sentence that warns of what the new file leaves out of the current one, and of what the role's template brings. */
function replaced(file: PublishedFile | null, wanted: AgentCard, options: ChangesOfCard): string[] {
  if (file === null) return ['The current file cannot be read: what the new one leaves out of it is not known.']
  const now = registrationFile(wanted)
  const services = { before: file.services.map(serviceName), now: now.services.map(serviceName) }
  const trust = { before: file.supportedTrust.filter((one) => knownTrust.has(one)), now: now.supportedTrust }
  const kept = new Set(now.registrations.map(({ agentRegistry, agentId }) => `${agentRegistry}/${agentId}`))
  const goes = [
    ...without(services.before, services.now).map((name) => `the service ${name}`),
    ...(registrationsIn(file).every((one) => kept.has(one)) ? [] : ['registrations']),
    ...without(trust.before, trust.now).map((name) => `the trust ${name}`),
  ]
  const comes = [
    ...(options.domains === undefined ? without(services.now, services.before) : [])
      .filter((name) => name === 'OASF')
      .map((name) => `the service ${name}`),
    ...(options.trust === undefined ? without(trust.now, trust.before) : []).map((name) => `the trust ${name}`),
  ]
  return [
    ...(goes.length === 0 ? [] : [`The new file leaves out: ${goes.join(', ')}. Name in the options what is to stay.`]),
    ...(comes.length === 0 ? [] : [`The template of the role adds to the file: ${comes.join(', ')}.`]),
  ]
}

/** A stranger's name for a service is not repeated. */
function serviceName({ name }: Pick<PublishedService, 'name'>): string {
  return knownServices.has(name) ? name : 'of another kind'
}

function without(names: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => !others.includes(name))
}

function changed(current: AgentCard, options: ChangesOfCard, role: AgentRole | null): AgentCard {
  const { name, description, domains, trust, image, metadata } = options
  if (options.role !== undefined || (options.a2aEndpoint !== undefined && role !== null)) {
    templateOf({ ...options, role: role ?? unsaid })
  }
  const named = servicesOf(options)
  const others = current.services.filter(({ type }) => !named.some((service) => service.type === type))
  const wanted = {
    name: name ?? current.name,
    description: description ?? current.description,
    domains: domains ?? current.domains,
    services: options.services ?? (named.length === 0 ? current.services : [...named, ...others]),
    trust: trust ?? current.trust,
    metadata: mergedMetadata(
      {
        ...current.metadata,
        ...(options.role === undefined ? {} : { role: options.role }),
        ...(image === undefined ? {} : { image }),
      },
      metadata,
    ),
  }
  return requireAgentCard(wanted, optionNames(options))
}

function roleIn(text: string | undefined): AgentRole | null {
  return text !== undefined && isRole(text) ? text : null
}

function isRole(text: string): text is AgentRole {
  return Object.hasOwn(roleTemplates, text)
}

/**
 * Handle and interface are made of the card; the rest of what stands on chain a small file leaves out. Of a whole file no
 * more than the usual is added, and never what a card could not hold: others write entries as well.
 */
function keptOnChain(metadata: Standing['metadata'], isSmall: boolean): Standing['metadata'] {
  const left = new Set(['handle', 'interfaceType', ...(isSmall ? [] : ['image'])])
  const isOwn = (key: string) => (isSmall || usualKeys.includes(key)) && !left.has(key)
  const isText = (value: string) => value.length <= mostCharacters && !/\p{C}/u.test(value)
  const kept = Object.entries(metadata).filter(([key, value]) => isOwn(key) && isText(value))
  return Object.fromEntries(kept.slice(0, mostKept))
}

/** Of one entry, and how many entries leave room for what an update adds. */
const mostCharacters = 500
const mostKept = 24

function notKept(message: string, details: { readonly fileStatus: FileStatus; readonly members: readonly string[] }) {
  return new WalletError('AGENT_FILE_NOT_KEPT', message, { details })
}

/**
 * The agent card that a registration file says, and what of the file no card can say. A file that says nothing of domains
 * or trust claims none; `content` is the file as it stands.
 */
function cardInFile(file: PublishedFile, content: unknown): CardInFile {
  const services = file.services.flatMap(serviceIn)
  const taxonomy = file.services.find(({ name }) => name === 'OASF')
  const { image, registrations } = file
  const [first] = registrations
  const card: AgentCard = {
    name: file.name,
    description: file.description,
    domains: file.domains ?? domainsOf(taxonomy),
    services,
    trust: file.trust ?? trustIn(file),
    metadata: {
      ...(image === '' ? {} : { image }),
      ...(first === undefined ? {} : { registration: `${first.agentRegistry}/${first.agentId}` }),
      ...file.metadata,
    },
  }
  return { card, lost: lostOf(file, content) }
}

type CardInFile = {
  readonly card: AgentCard
  /** Members of the file, by their path. */
  readonly lost: readonly string[]
}

const knownMembers: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'image',
  'services',
  'x402Support',
  'active',
  'registrations',
  'supportedTrust',
  'domains',
  'trust',
  'metadata',
])
const knownServices: ReadonlySet<string> = new Set(['MCP', 'A2A', 'OASF'])
const knownOfService: ReadonlySet<string> = new Set(['name', 'endpoint', 'version', 'domains'])
const knownTrust: ReadonlySet<string> = new Set(['reputation', 'crypto-economic', 'zkml'])

function lostOf(file: PublishedFile, content: unknown): readonly string[] {
  const foreign = keysOf(content).filter((member) => !knownMembers.has(member))
  const services: unknown = memberOf(content, 'services')
  const isKnown = (service: unknown) => {
    const name: unknown = memberOf(service, 'name')
    return typeof name === 'string' && knownServices.has(name) && keysOf(service).every(isKnownOfService)
  }
  const metadata = keysOf(memberOf(content, 'metadata'))
  return [
    ...foreign,
    ...(Array.isArray(services) && !services.every(isKnown) ? ['services'] : []),
    ...(file.x402Support ? ['x402Support'] : []),
    ...(file.active === false ? ['active'] : []),
    ...(file.registrations.length > 1 ? ['registrations'] : []),
    ...(file.supportedTrust.every((trust) => knownTrust.has(trust)) ? [] : ['supportedTrust']),
    ...(metadata.length > Object.keys(file.metadata).length ? ['metadata'] : []),
  ]
}

function isKnownOfService(member: string): boolean {
  return knownOfService.has(member)
}

function serviceIn({ name, endpoint }: PublishedService): AgentService[] {
  const type = name.toLowerCase()
  return type === 'mcp' || type === 'a2a' ? [{ type, url: endpoint }] : []
}

function domainsOf(taxonomy: PublishedService | undefined): AgentCard['domains'] {
  return taxonomy?.domains.map((domain, index) => ({ domain, primary: index === 0 })) ?? []
}

function trustIn({ supportedTrust }: PublishedFile): AgentCard['trust'] {
  const has = (trust: string) => supportedTrust.includes(trust)
  return { reputation: has('reputation'), cryptoEconomic: has('crypto-economic'), zkml: has('zkml') }
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

function memberOf(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined
}
