import type { IncomingMessage, ServerResponse } from 'node:http'
import { challengeHeader, type Authentication } from '../auth/authenticate.ts'
import type { Principal } from '@svc/engine'
import { type ErrorCode, ToolError } from '@svc/amm'
import type { Exchange } from './exchange.ts'
import type { Guards, RateLimit } from './guards.ts'
import { parseJson, readBody } from './json-body.ts'
import { jsonRpcErrors, sendJson, sendJsonRpcError, HttpRefusal } from './answers.ts'

/** Before any header is believed: one that was left out could be the one that counts. */
export function requireFewHeaders({ rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length <= 2 * maxHeaders) return
  throw refuse('HEADERS_TOO_LARGE', 'The request has too many header fields.', { connection: 'close' })
}

/** Refuses foreign origins; those that are listed may read the answer. */
export function requireOrigin(
  { headers }: IncomingMessage,
  response: ServerResponse,
  guards: Pick<Guards, 'requireOrigin'>,
): void {
  const origin = guards.requireOrigin(headers)
  if (origin === null) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-expose-headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After')
  response.setHeader('access-control-allow-methods', methods.join(', '))
  response.setHeader('access-control-allow-headers', corsHeaders)
}

/** Of the two paths that are served. */
export function requireRoute({ url }: IncomingMessage): 'health' | 'mcp' {
  const path = url?.split('?', 1)[0]
  if (path === '/healthz') return 'health'
  if (path === '/mcp') return 'mcp'
  throw refuse('ROUTE_NOT_FOUND', 'There is nothing at this path.')
}

export function answerHealth(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: 'GET, HEAD' })
  }
  sendJson(response, 200, '{"status":"ok"}')
}

export function requireMethod(request: IncomingMessage): void {
  if (request.method !== undefined && methods.includes(request.method)) return
  throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: methods.join(', ') })
}

/** What browsers ask before they send anything; the answer is in the headers. */
export function answerPreflight(response: ServerResponse): void {
  response.writeHead(204).end()
}

/** Of a body, which only POST has. */
export function requireJson({ method, headers }: IncomingMessage): void {
  if (method !== 'POST') return
  if (!jsonType.test(headers['content-type'] ?? ''))
    throw refuse('MEDIA_TYPE_NOT_SUPPORTED', 'The body must be application/json in UTF-8.')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw refuse('MEDIA_TYPE_NOT_SUPPORTED', 'Compressed bodies are not read.', { connection: 'close' })
  }
}

/** Whoever is known; charges the address of anybody else. */
export function requirePrincipal(authentication: Authentication, { address, limit, onRefused }: Unknown): Principal {
  if (authentication.principal !== null) return authentication.principal
  onRefused?.(authentication.reason, address)
  requireBudget(limit, address)
  const message = authentication.reason === 'missing' ? 'No credentials were sent.' : authentication.description
  throw refuse('AUTHENTICATION_REQUIRED', message, { 'www-authenticate': challengeHeader(authentication) })
}

/** Charges a token bucket. */
export function requireBudget(limit: RateLimit, caller: string): void {
  const verdict = limit.take(caller)
  if (verdict.ok) return
  throw refuse('RATE_LIMITED', 'Too many requests.', { 'retry-after': String(verdict.retryAfterSeconds) })
}

/** The whole body, within its bound. */
export async function readBoundedBody(request: IncomingMessage): Promise<Buffer> {
  const body = await readBody(request, maxBodyBytes)
  if (body !== null) return body
  throw refuse('PAYLOAD_TOO_LARGE', 'The body is too large.', { connection: 'close' })
}

/** The JSON-RPC message of the body, or `undefined` after having said what is wrong with it. */
export function parseMessage(body: Buffer, response: ServerResponse): unknown {
  const parsed = parseJson(body, maxDepth)
  if (!parsed.ok) {
    const error = parsed.reason === 'too-deep' ? jsonRpcErrors.tooDeep : jsonRpcErrors.malformed
    sendJsonRpcError(response, 400, error)
    return undefined
  }
  if (Array.isArray(parsed.value)) {
    sendJsonRpcError(response, 400, jsonRpcErrors.batch)
    return undefined
  }
  return parsed.value
}

/** Has closing wait for the answer, unless it is that of a subscription. */
export function trackAnswer(inFlight: Set<ServerResponse>, message: unknown, response: ServerResponse): void {
  if (!opensStream(message)) track(inFlight, response)
}

/** What the stages of a request work with. */
export type RequestContext = {
  readonly guards: Guards
  readonly authenticate: (headers: IncomingMessage['headers']) => Promise<Authentication>
  readonly limits: { readonly perAddress: RateLimit; readonly perPrincipal: RateLimit }
  /** Hears of callers that were turned away: `missing` or `refused` credentials. */
  readonly onRefused?: (reason: 'missing' | 'refused', address: string) => void
  readonly eras: Eras
  /** Calls being answered, which closing waits for. */
  readonly inFlight: Set<ServerResponse>
}

/** The two eras of the protocol, which live at one address. Sessions are bound to the principal that opened them. */
export type Eras = {
  post(exchange: Exchange, message: unknown): Promise<void>
  /** GET opens a session's stream, DELETE ends the session. */
  session(exchange: Exchange): Promise<void>
}

type Unknown = {
  readonly address: string
  readonly limit: RateLimit
  readonly onRefused: RequestContext['onRefused']
}

/** A subscription never ends by itself, so closing does not wait for it. */
function opensStream(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'method' in message && message.method === 'subscriptions/listen'
  )
}

/** Keeps a response in a set until it is closed. */
export function track(inFlight: Set<ServerResponse>, response: ServerResponse): void {
  inFlight.add(response)
  response.on('close', () => inFlight.delete(response))
}

/** A request that ends here. */
export function refuse(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}): HttpRefusal {
  return new HttpRefusal(new ToolError(code, message), headers)
}

const methods: readonly string[] = ['GET', 'POST', 'DELETE', 'OPTIONS']
const corsHeaders =
  'Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID'
/** Without a parameter, or with the one encoding that JSON has. */
const jsonType = /^application\/json[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i
const maxBodyBytes = 262_144
const maxDepth = 32
const maxHeaders = 100
