import type { AgentCard, AgentService } from './agent-card.ts'
import type { PublishedFile, PublishedService } from '../lookup/parse-agent-file.ts'

/**
 * The agent card that a registration file says, and what of the file no card can say. A file that says nothing of domains
 * or trust claims none; `content` is the file as it stands.
 */
export function cardInFile(file: PublishedFile, content: unknown): CardInFile {
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

export type CardInFile = {
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
