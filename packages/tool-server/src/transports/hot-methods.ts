import { isRecord } from '@svc/runtime'
import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '@svc/engine'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { sessionRevisions } from './protocol-facts.ts'

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
  if (request.method === 'tools/list') return `{"tools":${dispatch.list(principal).json}}`
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
