import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '@svc/engine'
import { isRecord } from '@svc/runtime'
import { showsViews } from '../apps/app-views.ts'
import { resultJson } from '../dispatch/call-result.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import type { CallOrigin } from '../observer.ts'
import { sendJson } from './answers.ts'
import {
  capabilitiesOfEnvelope,
  isEmpty,
  isPlainCapabilities,
  isPlainClient,
  takesForms,
  takesTasks,
  infoOfSessions,
  listTtlMs,
  serverCapabilities,
  type ServerInfo,
  sessionRevisions,
  statelessRevision,
} from './protocol-facts.ts'
import type { Exchange } from './exchange.ts'
import type { McpTesting } from './mcp-server.ts'

/** Answers a request of revision 2026-07-28; `null`, and nothing done, when it is not plain enough. */
export type FastPath = (exchange: Exchange, message: unknown) => Promise<void> | null

export type FastPathOptions = {
  readonly dispatch: Dispatch
  readonly info: ServerInfo
  readonly instructions: string
  /** Tests may put handlers of their own in the way of every method but calls of our tools. */
  readonly testing: McpTesting | null
}

/** `tools/call`, `tools/list`, `server/discover`, and the refusal of `ping`, in revision 2026-07-28 without the protocol library. */
export function createFastPath(options: FastPathOptions): FastPath {
  const { info, instructions } = options
  const about = { 'io.modelcontextprotocol/serverInfo': info }
  const discovered = JSON.stringify({
    supportedVersions: [statelessRevision],
    capabilities: serverCapabilities({ tasks: options.dispatch.tasks !== null }),
    instructions,
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: about,
  })
  return (exchange, message) => {
    const request = recognise(message, exchange.request.headers, options.dispatch)
    if (request === null || (options.testing !== null && request.method !== 'tools/call')) return null
    return answer(exchange, request, { ...options, about, discovered })
  }
}

/**
 * Recognises such a request in its plainest form: headers that agree with the body, and an envelope of nothing but the members that
 * clients send with every request. Whatever is unusual makes it `null`: the protocol library answers it then, and refuses what is
 * wrong with it.
 */
function recognise(message: unknown, headers: IncomingHttpHeaders, dispatch: Dispatch): StatelessRequest | null {
  if (headers['mcp-protocol-version'] !== statelessRevision || headers['mcp-session-id'] !== undefined) return null
  if (!isRecord(message) || !isRecord(message['params']) || headers['mcp-method'] !== message['method']) return null
  const { _meta: envelope, ...params } = message['params']
  if (!isPlainEnvelope(envelope) || Object.keys(headers).some((name) => name.startsWith('mcp-param-'))) return null
  const request = fastRequest({ ...message, params }, headers.accept, dispatch)
  if (request === null) return null
  const capabilities = capabilitiesOfEnvelope(envelope)
  // A write whose caller can be asked may be answered with a question, which is the library's to put.
  if (takesForms(capabilities) && mayAsk(request, dispatch)) return null
  if (takesTasks(capabilities) && request.method === 'tools/call' && dispatch.tasks?.mayBecome(request.name))
    return null
  if (headers['mcp-name'] !== (request.method === 'tools/call' ? request.name : undefined)) return null
  return { ...request, views: showsViews(capabilities), origin: originOf(request.id, envelope) }
}

type StatelessRequest = FastRequest & { readonly views: boolean; readonly origin: CallOrigin }

/** The envelope is plain, so what it says of traces is text. */
function originOf(id: CallOrigin['id'], { traceparent, tracestate }: Readonly<Record<string, unknown>>): CallOrigin {
  return {
    id,
    revision: statelessRevision,
    ...(typeof traceparent === 'string' && { traceparent }),
    ...(typeof tracestate === 'string' && { tracestate }),
  }
}

/** Answers such a request. A caller that leaves has its call aborted and gets no answer. */
async function answer(exchange: Exchange, request: StatelessRequest, answering: Answering): Promise<void> {
  const { response } = exchange
  const id = JSON.stringify(request.id)
  if (request.method === 'ping') {
    return sendJson(response, 404, `{"jsonrpc":"2.0","id":${id},"error":${methodNotFound}}`)
  }
  const call = new AbortController()
  const leave = () => call.abort()
  response.on('close', leave)
  const result = await statelessResult(request, exchange.principal, call.signal, answering)
  response.off('close', leave)
  if (response.destroyed) return
  sendJson(response, 200, `{"result":${result},"jsonrpc":"2.0","id":${id}}`)
}

type Answering = Pick<FastPathOptions, 'dispatch'> & {
  readonly about: Readonly<Record<string, ServerInfo>>
  /** The answer to `server/discover`, which is the same for everybody. */
  readonly discovered: string
}

async function statelessResult(
  request: StatelessRequest,
  principal: Principal,
  signal: AbortSignal,
  { dispatch, about, discovered }: Answering,
): Promise<string> {
  const { views } = request
  if (request.method === 'tools/list') {
    const rest = JSON.stringify({ resultType: 'complete', ttlMs: listTtlMs, cacheScope: 'private', _meta: about })
    return `{"tools":${dispatch.list(principal, { views }).json},${rest.slice(1)}`
  }
  if (request.method !== 'tools/call') return discovered
  const { name, arguments: input, origin } = request
  const reported = await dispatch.call({ name, arguments: input, principal, signal, views, origin })
  return resultJson(reported, { resultType: 'complete', _meta: { ...reported._meta, ...about } })
}

/** The envelope's members in shapes that need no schema to be known valid. */
function isPlainEnvelope(envelope: unknown): envelope is Readonly<Record<string, unknown>> {
  if (!isRecord(envelope) || envelope[`${prefix}protocolVersion`] !== statelessRevision) return false
  const client = envelope[`${prefix}clientInfo`]
  if (!(client === undefined || isPlainClient(client))) return false
  if (!isPlainCapabilities(capabilitiesOfEnvelope(envelope))) return false
  return Object.entries(envelope).every(
    ([name, value]) => envelopeMembers.has(name) || (traceMembers.has(name) && typeof value === 'string'),
  )
}

const prefix = 'io.modelcontextprotocol/'
const envelopeMembers: ReadonlySet<string> = new Set(
  ['protocolVersion', 'clientInfo', 'clientCapabilities'].map((name) => `${prefix}${name}`),
)
const traceMembers: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage'])

/** A request that may be answered without the SDK's machinery. */
export type FastRequest = { readonly id: string | number } & (
  | { readonly method: 'ping' | 'tools/list' | 'server/discover' }
  | { readonly method: 'tools/call'; readonly name: string; readonly arguments: unknown }
)

/**
 * Recognises `ping`, `tools/list`, `server/discover` and `tools/call` in their plainest form. Whatever is unusual about a request (a
 * progress token, a cursor, an unknown tool, any member we do not know) makes it `null`: the SDK answers it then.
 */
export function fastRequest(message: unknown, accept: string | undefined, dispatch: Dispatch): FastRequest | null {
  if (!isRecord(message) || !acceptsBoth(accept) || !Object.keys(message).every(isMessageMember)) return null
  const { jsonrpc, id, method, params } = message
  if (jsonrpc !== '2.0' || !isRequestId(id)) return null
  if (method === 'ping' || method === 'tools/list' || method === 'server/discover') {
    return params === undefined || isEmpty(params) ? { id, method } : null
  }
  if (method !== 'tools/call' || !isRecord(params)) return null
  const { name, arguments: args, _meta: meta } = params
  if (typeof name !== 'string' || !dispatch.has(name)) return null
  if (!Object.keys(params).every(isPlainCallMember) || !(meta === undefined || isEmpty(meta))) return null
  if (!(args === undefined || isRecord(args))) return null
  return { id, method, name, arguments: args }
}

/** Whether a person at the client may be asked in the middle of this request, which the SDK's machinery does. */
export function mayAsk(request: FastRequest, dispatch: Dispatch): boolean {
  return request.method === 'tools/call' && dispatch.asksClient(request.name)
}

/** The whole JSON-RPC response of a session as text. */
export async function answerFastRequest(
  request: FastRequest,
  caller: SessionCaller,
  dispatch: Dispatch,
): Promise<string> {
  const id = JSON.stringify(request.id)
  if (request.method === 'server/discover') return `{"jsonrpc":"2.0","id":${id},"error":${methodNotFound}}`
  return `{"jsonrpc":"2.0","id":${id},"result":${await sessionResult(request, caller, dispatch)}}`
}

type SessionCaller = {
  readonly principal: Principal
  /** Whether the client shows views of answers. */
  readonly views: boolean
  readonly signal: AbortSignal
  readonly sessionId?: string | undefined
}

async function sessionResult(
  request: FastRequest,
  { sessionId, ...caller }: SessionCaller,
  dispatch: Dispatch,
): Promise<string> {
  if (request.method === 'tools/list') {
    return `{"tools":${dispatch.list(caller.principal, { views: caller.views, icons: true }).json}}`
  }
  if (request.method !== 'tools/call') return '{}'
  return resultJson(
    await dispatch.call({
      name: request.name,
      arguments: request.arguments,
      origin: { id: request.id, sessionId },
      ...caller,
    }),
  )
}

/** What a method of the other era is. */
const methodNotFound = '{"code":-32601,"message":"Method not found"}'

function acceptsBoth(accept: string | undefined): boolean {
  return accept !== undefined && accept.includes('application/json') && accept.includes('text/event-stream')
}

/** Whether the `MCP-Protocol-Version` header, if any, names a revision with sessions. */
export function speaksLegacy(version: string | string[] | undefined): boolean {
  return version === undefined || (typeof version === 'string' && sessionRevisions.includes(version))
}

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

/** A text, or a whole number that JSON keeps as it is. */
export function isRequestId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

export function isMessageMember(name: string): boolean {
  return name === 'jsonrpc' || name === 'id' || name === 'method' || name === 'params'
}

function isPlainCallMember(name: string): boolean {
  return name === 'name' || name === 'arguments' || name === '_meta'
}
