import { isRecord } from '../../shape.ts'
/**
 * Takes a registration file apart that anybody may have written: members of ERC-8004 alone, each of its type, texts and
 * lists cut to a length. `file` is `null` for what is no registration file; why is in `warnings`. Never throws.
 */
export function parseAgentFile(bytes: Uint8Array): ParsedFile {
  const content = jsonIn(bytes)
  if (!isRecord(content)) return { content, file: null, warnings: ['The file is not an object of JSON.'] }
  if (content['type'] !== fileType) return { content, file: null, warnings: ['The file is of another type.'] }
  const notes: Notes = { wrong: new Set(), cut: new Set() }
  const file = fileIn(content, notes)
  const [wrong, cut] = [[...notes.wrong], [...notes.cut]]
  if (wrong.length > 0) return { content, file: null, warnings: [`Members of the wrong type: ${wrong.join(', ')}.`] }
  return { content, file, warnings: cut.length === 0 ? [] : [`Members cut to a length: ${cut.join(', ')}.`] }
}

export type ParsedFile = {
  /** The whole of it, as JSON gives it. */
  readonly content: unknown
  readonly file: PublishedFile | null
  readonly warnings: readonly string[]
}

/** A registration file as it was published. What it says is its owner's word, not a fact. */
export type PublishedFile = {
  readonly name: string
  readonly description: string
  readonly image: string
  readonly services: readonly PublishedService[]
  readonly active: boolean | null
  readonly x402Support: boolean
  readonly registrations: readonly { readonly agentId: string; readonly agentRegistry: string }[]
  readonly supportedTrust: readonly string[]
  /** Members of the agent card, where the file holds them. */
  readonly domains: readonly { readonly domain: string; readonly primary: boolean }[] | null
  readonly trust: { readonly reputation: boolean; readonly cryptoEconomic: boolean; readonly zkml: boolean } | null
  readonly metadata: Readonly<Record<string, string>>
}

/** Where an agent says it is reached. */
export type PublishedService = {
  readonly name: string
  readonly endpoint: string
  readonly version: string | null
  readonly skills: readonly string[]
  readonly domains: readonly string[]
}

const fileType = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1'
const mostItems = 64
const mostCharacters = 2_000

type Notes = { readonly wrong: Set<string>; readonly cut: Set<string> }
type Content = Readonly<Record<string, unknown>>

function fileIn(content: Content, notes: Notes): PublishedFile {
  const text = (member: string) => textIn(content[member], member, notes)
  if (content['name'] === undefined) notes.wrong.add('name')
  // Names of an earlier draft are met still.
  const [services, listed] = content['services'] === undefined ? ['endpoints', true] : ['services', false]
  return {
    name: text('name'),
    description: text('description'),
    image: text('image'),
    services: listIn(content[services], services, notes, (item) => serviceIn(item, services, notes)),
    active: content['active'] === undefined ? null : flagIn(content['active'], 'active', notes),
    x402Support: flagIn(content[listed ? 'x402support' : 'x402Support'], 'x402Support', notes),
    registrations: listIn(content['registrations'], 'registrations', notes, (item) => ({
      agentId: numberIn(item['agentId'], 'registrations', notes),
      agentRegistry: textIn(item['agentRegistry'], 'registrations', notes),
    })),
    supportedTrust: textsIn(content['supportedTrust'], 'supportedTrust', notes),
    domains:
      content['domains'] === undefined
        ? null
        : listIn(content['domains'], 'domains', notes, (item) => ({
            domain: textIn(item['domain'], 'domains', notes),
            primary: flagIn(item['primary'], 'domains', notes),
          })),
    trust: trustIn(content['trust'], notes),
    metadata: dictionaryIn(content['metadata'], notes),
  }
}

function serviceIn(item: Content, member: string, notes: Notes): PublishedService {
  return {
    name: textIn(item['name'], member, notes),
    endpoint: textIn(item['endpoint'], member, notes),
    version: item['version'] === undefined ? null : textIn(item['version'], member, notes),
    skills: textsIn(item['skills'], member, notes),
    domains: textsIn(item['domains'], member, notes),
  }
}

function trustIn(value: unknown, notes: Notes): PublishedFile['trust'] {
  if (value === undefined) return null
  if (!isRecord(value)) {
    notes.wrong.add('trust')
    return null
  }
  const flag = (member: string) => flagIn(value[member], 'trust', notes)
  return { reputation: flag('reputation'), cryptoEconomic: flag('cryptoEconomic'), zkml: flag('zkml') }
}

/** Others put what they like there: what is no text is left out. */
function dictionaryIn(value: unknown, notes: Notes): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {}
  const entries = Object.entries(value).filter(([key, item]) => key.length <= 64 && typeof item === 'string')
  if (entries.length > mostItems || entries.length < Object.keys(value).length) notes.cut.add('metadata')
  return Object.fromEntries(
    entries.slice(0, mostItems).map(([key, item]) => [key, textIn(item, 'metadata', notes)] as const),
  )
}

function textIn(value: unknown, member: string, { wrong, cut }: Notes): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') {
    wrong.add(member)
    return ''
  }
  if (value.length > mostCharacters) cut.add(member)
  return value.slice(0, mostCharacters)
}

function flagIn(value: unknown, member: string, { wrong }: Notes): boolean {
  if (value !== undefined && typeof value !== 'boolean') wrong.add(member)
  return value === true
}

function numberIn(value: unknown, member: string, notes: Notes): string {
  return typeof value === 'number' ? `${value}` : textIn(value, member, notes)
}

function textsIn(value: unknown, member: string, notes: Notes): string[] {
  return itemsOf(value, member, notes).map((item) => textIn(item, member, notes))
}

function listIn<Item>(value: unknown, member: string, notes: Notes, read: (item: Content) => Item): Item[] {
  return itemsOf(value, member, notes).flatMap((item) => {
    if (isRecord(item)) return [read(item)]
    notes.wrong.add(member)
    return []
  })
}

function itemsOf(value: unknown, member: string, { wrong, cut }: Notes): unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    wrong.add(member)
    return []
  }
  if (value.length > mostItems) cut.add(member)
  return value.slice(0, mostItems)
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}
