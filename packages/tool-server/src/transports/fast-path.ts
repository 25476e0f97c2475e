import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatch } from '../dispatch/dispatch.ts'
import type { Exchange } from './exchange.ts'
import { takesForms } from './approval-form.ts'
import { isRecord } from '@svc/runtime'
import { sendJson } from './answers.ts'
import type { McpTesting } from './mcp-server.ts'
import { listTtlMs, type ServerInfo, statelessRevision, sessionRevisions } from './protocol-facts.ts'
import type { Principal } from '@svc/engine'

/** Answers a hot request of revision 2026-07-28; `null`, and nothing done, when it is not one. */
export type HotModern = (exchange: Exchange, message: unknown) => Promise<void> | null

export type HotModernOptions = {
  readonly dispatch: Dispatch
  readonly info: ServerInfo
  /** Tests may put handlers of their own in the way of every method but calls of our tools. */
  readonly testing: McpTesting | null
}

/** `tools/list` and `tools/call` of revision 2026-07-28 without the protocol library. */
export function createHotModern(options: HotModernOptions): HotModern {
  return (exchange, message) => {
    const request = recognise(message, exchange.request.headers, options.dispatch)
    if (request === null || (options.testing !== null && request.method !== 'tools/call')) return null
    return answer(exchange, request, options)
  }
}

/**
 * Recognises `tools/list` and `tools/call` of revision 2026-07-28 in their plainest form: headers that agree with the body,
 * and an envelope of nothing but the three members it must have. Whatever is unusual makes it `null`: the protocol library
 * answers it then, and refuses what is wrong with it.
 */
function recognise(message: unknown, headers: IncomingHttpHeaders, dispatch: Dispatch): StatelessRequest | null {
  if (headers['mcp-protocol-version'] !== statelessRevision || headers['mcp-session-id'] !== undefined) return null
  if (!isRecord(message) || !isRecord(message['params']) || headers['mcp-method'] !== message['method']) return null
  const { accept } = headers
  const { _meta: envelope, ...params } = message['params']
  if (!isPlainEnvelope(envelope) || Object.keys(headers).some((name) => name.startsWith('mcp-param-'))) return null
  const request = hotRequest({ ...message, params }, accept === undefined ? {} : { accept }, dispatch)
  if (request === null || request.method === 'ping') return null
  // A write whose caller can be asked may be answered with a question, which is the library's to put.
  if (takesForms(envelope[`${prefix}clientCapabilities`]) && mayAsk(request, dispatch)) return null
  return headers['mcp-name'] === (request.method === 'tools/call' ? request.name : undefined) ? request : null
}

type StatelessRequest = Exclude<HotRequest, { readonly method: 'ping' }>

/** Answers such a request. A caller that leaves has its call aborted and gets no answer. */
async function answer(
  { response, principal }: Exchange,
  request: StatelessRequest,
  { dispatch, info }: HotModernOptions,
): Promise<void> {
  const call = new AbortController()
  const leave = () => call.abort()
  response.on('close', leave)
  const about = { 'io.modelcontextprotocol/serverInfo': info }
  let result: string
  if (request.method === 'tools/list') {
    const rest = JSON.stringify({ resultType: 'complete', ttlMs: listTtlMs, cacheScope: 'private', _meta: about })
    result = `{"tools":${dispatch.list(principal).json},${rest.slice(1)}`
  } else {
    const { name, arguments: input } = request
    const reported = await dispatch.call({ name, arguments: input, principal, signal: call.signal })
    result = JSON.stringify({ ...reported, resultType: 'complete', _meta: { ...reported._meta, ...about } })
  }
  response.off('close', leave)
  if (response.destroyed) return
  sendJson(response, 200, `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(request.id)}}`)
}

/** The envelope's members in shapes that need no schema to be known valid. */
function isPlainEnvelope(envelope: unknown): envelope is Readonly<Record<string, unknown>> {
  if (!isRecord(envelope) || Object.keys(envelope).length !== 3) return false
  const { [`${prefix}clientInfo`]: client, [`${prefix}clientCapabilities`]: capabilities } = envelope
  return envelope[`${prefix}protocolVersion`] === statelessRevision && isPlainClient(client) && isPlain(capabilities)
}

const prefix = 'io.modelcontextprotocol/'

function isPlainClient(client: unknown): boolean {
  if (!isRecord(client) || typeof client['name'] !== 'string' || typeof client['version'] !== 'string') return false
  return Object.entries(client).every(([name, value]) => clientMembers.has(name) && typeof value === 'string')
}

const clientMembers: ReadonlySet<string> = new Set(['name', 'version', 'title'])

/** Capabilities that clients state by name alone, for example `{ "elicitation": { "form": {} } }`. */
function isPlain(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false
  return Object.entries(capabilities).every(
    ([name, value]) =>
      isRecord(value) &&
      Object.entries(value).every(
        ([detail, reported]) =>
          (plainCapabilities[name]?.includes(detail) ?? false) &&
          isRecord(reported) &&
          Object.keys(reported).length === 0,
      ) &&
      Object.hasOwn(plainCapabilities, name),
  )
}

const plainCapabilities: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  sampling: ['context', 'tools'],
  roots: [],
}

/** A request that an established session may have answered without the SDK's machinery. */
export type HotRequest = { readonly id: string | number } & (
  | { readonly method: 'ping' }
  | { readonly method: 'tools/list' }
  | { readonly method: 'tools/call'; readonly name: string; readonly arguments: unknown }
)

/**
 * Recognises `ping`, `tools/list` and `tools/call` in their plainest form. Whatever is unusual about a request (a progress
 * token, a cursor, an unknown tool, an odd header, any member we do not know) makes it `null`: the SDK answers it then.
 */
export function hotRequest(message: unknown, headers: IncomingHttpHeaders, dispatch: Dispatch): HotRequest | null {
  if (!isRecord(message) || !acceptsBoth(headers.accept) || !speaksLegacy(headers['mcp-protocol-version'])) return null
  const { jsonrpc, id, method, params } = message
  if (jsonrpc !== '2.0' || !isRequestId(id) || Object.keys(message).length > 4) return null
  if (method === 'ping') return params === undefined || isEmpty(params) ? { id, method } : null
  if (method === 'tools/list') return params === undefined || isEmpty(params) ? { id, method } : null
  if (method !== 'tools/call' || !isRecord(params)) return null
  const { name, arguments: args, _meta: meta } = params
  if (typeof name !== 'string' || !dispatch.has(name)) return null
  if (!Object.keys(params).every(isPlainCallMember) || !(meta === undefined || isEmpty(meta))) return null
  if (!(args === undefined || isRecord(args))) return null
  return { id, method, name, arguments: args }
}

/** Whether a person at the client may be asked in the middle of this request, which the SDK's machinery does. */
export function mayAsk(request: HotRequest, dispatch: Dispatch): boolean {
  return request.method === 'tools/call' && dispatch.asksClient(request.name)
}

/** The whole JSON-RPC response as text. */
export async function answerHotRequest(
  request: HotRequest,
  principal: Principal,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<string> {
  const id = JSON.stringify(request.id)
  return `{"jsonrpc":"2.0","id":${id},"result":${await hotResult(request, principal, dispatch, signal)}}`
}

async function hotResult(
  request: HotRequest,
  principal: Principal,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<string> {
  if (request.method === 'ping') return '{}'
  if (request.method === 'tools/list') return `{"tools":${dispatch.list(principal, { icons: true }).json}}`
  return JSON.stringify(await dispatch.call({ name: request.name, arguments: request.arguments, principal, signal }))
}

function acceptsBoth(accept: string | undefined): boolean {
  return accept !== undefined && accept.includes('application/json') && accept.includes('text/event-stream')
}

/** Whether the `MCP-Protocol-Version` header, if any, names a revision with sessions. */
export function speaksLegacy(version: string | string[] | undefined): boolean {
  return version === undefined || (typeof version === 'string' && sessionRevisions.includes(version))
}

function isRequestId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0
}

function isPlainCallMember(name: string): boolean {
  return name === 'name' || name === 'arguments' || name === '_meta'
}
