import type { IncomingMessage, ServerResponse } from 'node:http'
import { challengeHeader, type Authenticate, type Authentication } from '../auth/authenticate.ts'
import { metadataPath } from '../auth/issued/protected-resource.ts'
import { type AgentDocuments, documentPaths } from '../cards/agent-documents.ts'
import type { Breakable, SignIn } from '../auth/sign-in/sign-in.ts'
import type { Principal, Scope } from '@svc/engine'
import { type ErrorCode, ToolError } from '@svc/amm'
import type { Exchange } from './exchange.ts'
import type { RateLimit, RateLimits } from '../rate-limits/rate-limit.ts'
import { isRecord, quotaLeft, rateLimitHeaders, retryAfterSeconds, type Taken } from '@svc/runtime'
import type { Guards } from './guards.ts'
import type { OperatorPage } from '../operator/operator-page.ts'
import { operatorPaths } from '../operator/operator-paths.ts'
import { type BodyRoom, parseJson, readBody } from './json-body.ts'
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
  response.setHeader('access-control-expose-headers', exposedHeaders)
  response.setHeader('access-control-allow-methods', methods.join(', '))
  response.setHeader('access-control-allow-headers', corsHeaders)
}

/** Of the paths that are served; those of sign-in and of its tokens are there where these are. */
export function requireRoute({ url }: IncomingMessage, { signIn }: Pick<RequestContext, 'signIn'>): Route {
  const path = url?.split('?', 1)[0]
  if (path === '/mcp') return 'mcp'
  if (signIn !== null && signIn.wallets !== null) {
    if (path === signInPath) return 'sign-in'
    if (path === keysPath) return 'keys'
  }
  if (signIn !== null && signIn.resource !== null) {
    if (path === metadataPath || path === `${metadataPath}/mcp`) return 'resource'
  }
  throw refuse('ROUTE_NOT_FOUND', 'There is nothing at this path.')
}

/**
 * Says that the process is there, where that is asked: a probe counts against nothing, and need not come through the edge, since what looks
 * after a container asks it from inside. Says whether it did.
 */
export function answerHealth(request: IncomingMessage, response: ServerResponse, role: Role | undefined): boolean {
  if (request.url?.split('?', 1)[0] !== healthPath) return false
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: 'GET, HEAD' })
  }
  sendJson(response, 200, JSON.stringify({ status: 'ok', ...(role !== undefined && { role }) }))
  return true
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

/** Of an upgrade: to WebSocket, at the endpoint, by a client that says it speaks MCP over it. */
export function requireWebSocket({ method, url, headers }: IncomingMessage): void {
  if (url?.split('?', 1)[0] !== '/mcp') throw refuse('ROUTE_NOT_FOUND', 'There is nothing to upgrade at this path.')
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') {
    throw refuse(
      'VALIDATION_FAILED',
      'The one upgrade that is served is a GET to websocket; send others without Upgrade.',
    )
  }
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  if (!offered.includes('mcp')) {
    throw refuse('VALIDATION_FAILED', 'Sec-WebSocket-Protocol has to offer the subprotocol mcp.')
  }
}

/** Whoever is known; charges the address of anybody else. */
export async function requirePrincipal(
  authentication: Authentication,
  address: string,
  { limits, onRefused, signIn }: Pick<RequestContext, 'limits' | 'onRefused' | 'signIn'>,
): Promise<Principal> {
  if (authentication.principal !== null) return authentication.principal
  onRefused?.(authentication.reason, address)
  const left = await requireBudget(limits.unauthenticated, address)
  const message = authentication.reason === 'missing' ? 'No credentials were sent.' : authentication.description
  const error = new ToolError('AUTHENTICATION_REQUIRED', message)
  throw new HttpRefusal(
    error,
    {
      'www-authenticate': challengeHeader(authentication, signIn?.resource),
      ...rateLimitHeaders(limits.unauthenticated, left),
    },
    challengeOf(signIn),
  )
}

/** What a wallet may sign instead of sending a key. */
export function challengeOf(signIn: SignIn | null): Readonly<Record<string, unknown>> {
  return signIn === null || signIn.wallets === null ? {} : { challenge: signIn.wallets.challenge() }
}

/** Has an answer end with credentials that are revoked, or a stream with credentials whose time is over. */
export function holdToCredentials(
  { principal, response }: { readonly principal: Principal; readonly response: Breakable },
  signIn: SignIn | null,
  kind: 'answer' | 'stream',
): void {
  if (principal.expiresAt !== null) signIn?.hold(principal, response, kind)
}

/** Charges a limit, and gives what is left of it. */
export async function requireBudget(limit: RateLimit, caller: string): Promise<Taken> {
  const left = await limit.take(caller)
  if (left.allowed) return left
  throw refuse('RATE_LIMITED', 'Too many requests.', {
    'retry-after': String(retryAfterSeconds(left.retryAfterMs)),
    ...rateLimitHeaders(limit, left),
  })
}

/** Has the answer say what is left of the limits that were charged. */
export function reportBudgets(response: ServerResponse, [one, ofOne]: Charged, [other, ofOther]: Charged): void {
  response.setHeader('ratelimit-policy', `${one.policy}, ${other.policy}`)
  response.setHeader('ratelimit', `${quotaLeft(one, ofOne)}, ${quotaLeft(other, ofOther)}`)
}

type Charged = readonly [RateLimit, Taken]

/** The whole body, within its bound, while there is room for it. */
export async function readBoundedBody(
  request: IncomingMessage,
  { bodies }: Pick<RequestContext, 'bodies'>,
  maxBytes = maxBodyBytes,
): Promise<Buffer> {
  const body = await readBody(request, { maxBytes, bodies })
  if (body instanceof Buffer) return body
  if (body === 'no-room')
    throw refuse('SERVER_BUSY', 'Too many large requests are on their way.', { connection: 'close' })
  throw refuse('PAYLOAD_TOO_LARGE', 'The body is too large.', { connection: 'close' })
}

/** Of a request that opens a session or a stream, which keeps what it said for as long as it is open. */
export function requireBrief(message: unknown): void {
  if (isBrief(message)) return
  const suggestion = 'Say less of the client, or listen to less.'
  throw new HttpRefusal(new ToolError('PAYLOAD_TOO_LARGE', 'This is kept, and too large for that.', { suggestion }))
}

/** Of a session what its client says of itself is kept, of a stream what it listens to. */
export function isBrief(message: unknown): boolean {
  if (!isRecord(message) || !isRecord(message['params'])) return true
  const { id, method, params } = message
  if (method === 'initialize') return JSON.stringify(params).length <= mostOfClient
  if (method !== 'subscriptions/listen') return true
  return JSON.stringify([id, params['notifications']]).length <= mostOfFilter
}

/** Characters; with room for an icon. */
const mostOfClient = 65_536
/** Some hundred addresses, or ids of tasks. */
const mostOfFilter = 8_192

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

/** Has closing wait for the answer, unless it is a stream, which is noted as one. */
export function trackAnswer(
  { inFlight, streams }: Pick<RequestContext, 'inFlight' | 'streams'>,
  response: ServerResponse,
  kind: 'answer' | 'stream',
): void {
  if (kind === 'answer') track(inFlight, response)
  else streams.add(response)
}

/** What the stages of a request work with. */
type Role = 'leader' | 'follower'

export type RequestContext = {
  /** Whether it writes; absent where no other server could. */
  readonly role?: (() => Role | undefined) | undefined
  readonly guards: Guards
  readonly authenticate: Authenticate
  readonly limits: RateLimits
  /** Hears of callers that were turned away: `missing` or `refused` credentials. */
  readonly onRefused?: (reason: 'missing' | 'refused', address: string) => void
  /** The scope that a principal lacks for a tool which it could call with a token of more; `null` where it lacks none. */
  readonly missingScope: (principal: Principal, tool: string) => Scope | null
  /** Hears of a call that was refused for that. */
  readonly onScopeMissing?: (facts: {
    readonly principal: string
    readonly tool: string
    readonly scope: Scope
  }) => void
  /** What everybody may read, by path. */
  readonly documents: AgentDocuments
  readonly eras: Eras
  /** `null` where no tokens are taken. */
  readonly signIn: SignIn | null
  /** What whoever operates the server sees and decides in a browser; `null` where it is off. */
  readonly operator: OperatorPage | null
  /** Calls being answered, which closing waits for. */
  readonly inFlight: Set<ServerResponse>
  /** Answers that are open for as long as their client likes. */
  readonly streams: WeakSet<ServerResponse>
  /** Where bodies are held until the last byte of them is there. */
  readonly bodies: BodyRoom
}

/** The two eras of the protocol, which live at one address. Sessions are bound to the principal that opened them. */
export type Eras = {
  post(exchange: Exchange, message: unknown): Promise<void>
  /** GET opens a session's stream, DELETE ends the session. */
  session(exchange: Exchange): Promise<void>
}

type Route = 'mcp' | 'sign-in' | 'keys' | 'resource'

/** A subscription never ends by itself, so closing does not wait for it. */
export function kindOfAnswer(message: unknown): 'answer' | 'stream' {
  const opensStream =
    typeof message === 'object' && message !== null && 'method' in message && message.method === 'subscriptions/listen'
  return opensStream ? 'stream' : 'answer'
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

const [healthPath, signInPath, keysPath] = ['/healthz', '/auth/siwe', '/.well-known/jwks.json'] as const

/** Where a server answers, with the settings that it may have. */
export const servedPaths: ReadonlySet<string> = new Set([
  '/mcp',
  healthPath,
  signInPath,
  keysPath,
  metadataPath,
  `${metadataPath}/mcp`,
  ...documentPaths,
  ...operatorPaths,
])

const methods: readonly string[] = ['GET', 'POST', 'DELETE', 'OPTIONS']
const corsHeaders =
  'Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID'
const exposedHeaders = 'Mcp-Session-Id, WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy'
/** Without a parameter, or with the one encoding that JSON has. */
const jsonType = /^application\/json[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i
const maxBodyBytes = 262_144
/** Of JSON in a body. */
export const maxDepth = 32
const maxHeaders = 100
