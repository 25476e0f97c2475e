import { throwIfAborted, withDeadline } from '../../with-deadline.ts'
import { urlCredentials } from '../../service-urls.ts'
import { invalidField } from '../../wallet-error.ts'
import { boundedBytes } from '../../bounded-bytes.ts'
import { contentAddress } from '../card/canonical-bytes.ts'
import { parseAgentFile, type PublishedFile } from './parse-agent-file.ts'

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
