import { throwIfAborted, withDeadline } from '../../with-deadline.ts'
import { urlCredentials } from '../../service-urls.ts'
import { invalidField } from '../../wallet-error.ts'
import { boundedBytes } from '../../bounded-bytes.ts'
import { contentAddress } from '../card/registration-file.ts'
import { isRecord } from '../../shape.ts'

/**
 * Reads the registration file that an agent URI leads to, and never fails for what a stranger wrote: a `data:` URI is
 * decoded, `ipfs://` is asked of the gateway alone and believed by its hash, and no other address is ever asked. Throws
 * `VALIDATION_CONFIG_INVALID` for a gateway that is no http(s) address.
 */
export async function readAgentFile(agentURI: string, options: AgentFileOptions): Promise<AgentFile> {
  const gatewayUrl = gatewayOf(options)
  if (agentURI.startsWith('data:')) {
    const bytes = dataIn(agentURI)
    if (bytes === null) return without('invalid', 'The agent URI holds no readable data, or too much of it.')
    return parsed('inline', bytes)
  }
  const cid = /^ipfs:\/\/(?:ipfs\/)?([^/?#]+)$/.exec(agentURI)?.[1]
  if (cid === undefined) return elsewhere(agentURI)
  if (!isRawAddress(cid))
    return without('not-fetched', 'The file is not in one block of raw content; it was not fetched.')
  if (gatewayUrl === null)
    return without('not-fetched', 'No gateway is named (gatewayUrl, SVC_GATEWAY_URL); the file was not fetched.')
  const bytes = await blockOf(cid, gatewayUrl, options)
  if (bytes === null) return without('unavailable', 'The gateway did not give the file.')
  if (contentAddress(bytes) !== cid) return without('unavailable', 'The gateway gave other content than the URI names.')
  return parsed('verified', bytes)
}

/** How the file behind a URI is fetched, where it is fetched at all. */
export type AgentFileOptions = {
  /** Base address of an IPFS gateway that gives raw blocks; `SVC_GATEWAY_URL` where it is missing. */
  readonly gatewayUrl?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly fetch?: typeof fetch | undefined
  readonly signal?: AbortSignal | undefined
}

export type AgentFile = {
  readonly status: FileStatus
  readonly file: PublishedFile | null
  /** The whole of it as it stands, for whoever must not lose a member. */
  readonly content: unknown
  readonly warnings: readonly string[]
}

/**
 * `inline`: it was in the URI. `verified`: the gateway gave what the CID names. `not-fetched`: it stands where nothing of
 * ours asks. `unavailable`: the gateway gave nothing, or something else. `invalid`: it is no registration file.
 */
export type FileStatus = 'inline' | 'verified' | 'not-fetched' | 'unavailable' | 'invalid'

/** What one block holds, and what the identity SDK takes in a URI. */
const mostBytes = 256 * 1024
const patienceMs = 10_000

function parsed(status: 'inline' | 'verified', bytes: Uint8Array): AgentFile {
  const { content, file, warnings } = parseAgentFile(bytes)
  return { status: file === null ? 'invalid' : status, file, content, warnings }
}

function without(status: FileStatus, warning: string): AgentFile {
  return { status, file: null, content: null, warnings: [warning] }
}

function elsewhere(agentURI: string): AgentFile {
  if (agentURI === '') return without('invalid', 'The agent names no file.')
  if (/^(https?|ipfs|ipns|ar):\/\//i.test(agentURI)) {
    return without('not-fetched', 'The file stands at an address that the agent chose; such addresses are not asked.')
  }
  return without('invalid', 'The agent URI is of no known form.')
}

function dataIn(uri: string): Uint8Array | null {
  const [, encoding, text] = /^data:application\/json(?:;charset=utf-8)?(;base64)?,(.*)$/is.exec(uri) ?? []
  if (text === undefined || text.length > 3 * mostBytes) return null
  try {
    const plain = decodeURIComponent(text)
    if (encoding !== undefined && !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) return null
    const bytes = Buffer.from(plain, encoding === undefined ? 'utf8' : 'base64')
    return bytes.length > mostBytes ? null : bytes
  } catch {
    return null
  }
}

/** Version 1, raw, sha2-256, in base32: what this package and common pin services give files of this size. */
function isRawAddress(cid: string): boolean {
  return /^bafkrei[a-z2-7]{52}$/.test(cid)
}

function gatewayOf({ gatewayUrl, env = {} }: AgentFileOptions): string | null {
  const url = gatewayUrl ?? (env['SVC_GATEWAY_URL'] || undefined)
  if (url === undefined) return null
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, '')
  throw invalidField(gatewayUrl === undefined ? 'SVC_GATEWAY_URL' : 'gatewayUrl', 'a URL with http or https')
}

async function blockOf(cid: string, gatewayUrl: string, options: AgentFileOptions): Promise<Uint8Array | null> {
  const { fetch: get = fetch, signal } = options
  const place = urlCredentials(`${gatewayUrl}/ipfs/${cid}?format=raw`)
  const headers = { accept: 'application/vnd.ipld.raw', ...place.headers }
  const ask = async (signal: AbortSignal): Promise<Uint8Array | null> => {
    const answer = await get(place.url, { headers, redirect: 'error', signal })
    if (answer.ok) return await boundedBytes(answer, { mostBytes, signal })
    await answer.body?.cancel()
    return null
  }
  try {
    return await withDeadline({ timeoutMs: patienceMs, signal }, ask)
  } catch {
    throwIfAborted(signal)
    return null
  }
}

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
