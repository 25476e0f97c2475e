import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '@svc/engine'
import { isRecord } from '@svc/runtime'
import { iconOf } from '../dispatch/offered-tools.ts'
import type { CarriedPrincipals } from './carried-principals.ts'
import {
  acceptsBoth,
  isEmpty,
  isMessageMember,
  isPlainCapabilities,
  isPlainClient,
  isRequestId,
  speaksLegacy,
} from './fast-path.ts'
import { serverCapabilities, type ServerInfo, sessionRevisions } from './protocol-facts.ts'

/** The message that opens a session, in its plainest form. */
export type Handshake = {
  readonly jsonrpc: '2.0'
  readonly id: string | number
  readonly method: 'initialize'
  readonly params: { readonly protocolVersion: string; readonly capabilities: unknown; readonly clientInfo: unknown }
}

/**
 * Recognises `initialize` as nearly every client sends it: of a revision with sessions, with a client and capabilities that need no schema to be
 * known valid. Whatever is unusual is the protocol library's to answer.
 */
export function isPlainHandshake(message: unknown, headers: IncomingHttpHeaders): message is Handshake {
  if (!isPlainMessage(message, headers) || headers['mcp-session-id'] !== undefined) return false
  const { id, method, params } = message
  if (method !== 'initialize' || !isRequestId(id) || !isRecord(params)) return false
  const { protocolVersion, capabilities, clientInfo, ...others } = params
  if (typeof protocolVersion !== 'string' || !sessionRevisions.includes(protocolVersion) || !isEmpty(others))
    return false
  if (!isRecord(capabilities)) return false
  const { roots, ...rest } = capabilities
  return isPlainClient(clientInfo) && isPlainRoots(roots) && isPlainCapabilities(rest)
}

/** Recognises the word of a client that its session has begun. */
export function isPlainBeginning(message: unknown, headers: IncomingHttpHeaders): boolean {
  if (!isPlainMessage(message, headers)) return false
  const { id, method, params } = message
  return method === 'notifications/initialized' && id === undefined && (params === undefined || isEmpty(params))
}

function isPlainMessage(message: unknown, headers: IncomingHttpHeaders): message is Readonly<Record<string, unknown>> {
  if (!isRecord(message) || !Object.keys(message).every(isMessageMember) || message['jsonrpc'] !== '2.0') return false
  if (!acceptsBoth(headers.accept) || !speaksLegacy(headers['mcp-protocol-version'])) return false
  return !Object.keys(headers).some((name) => /^mcp-(?:method|name|param-)/.test(name))
}

/** Most clients say whether they tell of changes to them. */
function isPlainRoots(roots: unknown): boolean {
  if (roots === undefined) return true
  if (!isRecord(roots)) return false
  return Object.entries(roots).every(([name, value]) => name === 'listChanged' && typeof value === 'boolean')
}

/** The whole JSON-RPC response to it as text. */
export function answerToHandshake({ id, params }: Handshake, { info, instructions }: ServerWords): string {
  const result = {
    protocolVersion: params.protocolVersion,
    capabilities: serverCapabilities({ tasks: false }),
    serverInfo: infoOfSessions(info),
    ...(instructions !== '' && { instructions }),
  }
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

/** What a server says of itself where a session begins. */
export type ServerWords = { readonly info: ServerInfo; readonly instructions: string }

/** With an icon, which is said once in a session, and not on answers that stand alone. */
export function infoOfSessions(info: ServerInfo) {
  return { ...info, icons: [serverIcon] }
}

/** What clients may show beside the server's name: a drop between the bounds of a range. */
const serverIcon = iconOf(
  '<path d="M4 4v16M20 4v16" stroke="#889" stroke-width="2"/><path d="M12 4c3 4 5 6 5 9a5 5 0 0 1-10 0c0-3 2-5 5-9z" fill="#28c"/>',
)

/** Tells the protocol library's end of a session what its client said before that end was made. */
export async function repeatHandshake(
  transport: WebStandardStreamableHTTPServerTransport,
  { message, principal, sessionId, hasBegun }: Said,
  principals: CarriedPrincipals,
): Promise<void> {
  const tell = async (parsedBody: unknown, more: Readonly<Record<string, string>>) => {
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...more }
    const request = new Request('http://localhost/mcp', { method: 'POST', headers })
    const answer = await transport.handleRequest(request, { parsedBody, authInfo: principals.carry(principal) })
    await answer.text()
  }
  await tell(message, {})
  if (hasBegun) await tell({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': sessionId })
}

export type Said = {
  readonly message: Handshake
  readonly principal: Principal
  readonly sessionId: string
  readonly hasBegun: boolean
}
