import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { challengeHeader, type Authentication } from '../auth/authenticate.ts'
import type { Principal } from '@svc/engine'
import { type ErrorCode, ToolError } from '@svc/amm'
import type { Log } from '@svc/runtime'
import type { Traffic } from '../traffic.ts'
import { createCloseWithConnection } from './close-with-connection.ts'
import type { Exchange } from './exchange.ts'
import type { Guards } from './guards.ts'
import { speaksLegacy } from './hot-methods.ts'
import type { HotModern } from './hot-modern.ts'
import { parseJson, readBody } from './json-body.ts'
import { jsonRpcErrors, sendJson, sendJsonRpcError } from './json-rpc.ts'
import type { LegacyEra } from './legacy-era.ts'
import { HttpRefusal, sendProblem } from './problem.ts'
import type { LoadProtocol } from './protocol.ts'
import type { RateLimit } from './rate-limit.ts'

/** The Streamable HTTP transport: everything between a socket and the two eras of the protocol. */
export type HttpTransport = {
  listen(address: { readonly host: string; readonly port: number }): Promise<AddressInfo>
  /** Stops accepting, lets calls in flight finish for at most `timeoutMs`, closes the streams, then every connection. */
  close(timeoutMs: number, closeStreams: () => Promise<void>): Promise<void>
}

export type HttpOptions = {
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null
  readonly guards: Guards
  authenticate(headers: IncomingMessage['headers']): Promise<Authentication>
  readonly limits: { readonly perAddress: RateLimit; readonly perPrincipal: RateLimit }
  /** How long a client may take for the headers of a request, at most 30 s. */
  readonly headersTimeoutMs: number
  readonly legacy: LegacyEra
  readonly hot: HotModern
  readonly protocol: LoadProtocol
  /** Hears of callers that were turned away: `missing` or `refused` credentials. */
  readonly onRefused?: (reason: 'missing' | 'refused', address: string) => void
  /** Hears of every request, and of the end of every answer. */
  readonly traffic?: Pick<Traffic, 'came' | 'answered'> | undefined
  readonly log: Log
}

export function createHttpTransport(options: HttpOptions): HttpTransport {
  /** Calls being answered, which closing waits for; and every answer being written, streams among them. */
  const inFlight = new Set<ServerResponse>()
  const answers = new Set<ServerResponse>()
  const closeWithConnection = createCloseWithConnection()
  const state = { closing: false }
  const context: HttpContext = { ...options, inFlight }
  const server = openServer(options, (request, response) => {
    // A stream that is written out has a dozen parties who want to know of its end.
    response.setMaxListeners(mostListeners)
    closeWithConnection(request, response)
    track(answers, response)
    options.traffic?.came()
    response.once('close', () => options.traffic?.answered())
    if (state.closing) response.setHeader('connection', 'close')
    handleRequest(request, response, context).catch((error: unknown) => fail(response, error, options.log))
  })
  return Object.freeze({
    listen: ({ host, port }: { readonly host: string; readonly port: number }) => listen(server, host, port),
    async close(timeoutMs: number, closeStreams: () => Promise<void>) {
      state.closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await drained(inFlight, timeoutMs)
      await closeStreams()
      await drained(answers, streamFlushMs)
      server.closeAllConnections()
      await closed
    },
  })
}

type HttpContext = HttpOptions & { readonly inFlight: Set<ServerResponse> }

/** The pipeline of a request. Each step refuses by throwing an `HttpRefusal`. */
async function handleRequest(request: IncomingMessage, response: ServerResponse, options: HttpContext): Promise<void> {
  const { guards, limits } = options
  requireFewHeaders(request)
  guards.requireHost(request.headers)
  allowOrigin(response, guards.requireOrigin(request.headers))
  const address = guards.clientAddress(request.headers, request.socket.remoteAddress ?? '')
  const path = request.url?.split('?', 1)[0]
  if (path === '/healthz') return answerHealth(request, response)
  if (path !== '/mcp') throw refuse('ROUTE_NOT_FOUND', 'There is nothing at this path.')
  requireMethod(request)
  if (request.method === 'OPTIONS') return void response.writeHead(204).end()
  if (request.method === 'POST') requireJson(request)
  const authentication = await options.authenticate(request.headers)
  if (authentication.principal === null) options.onRefused?.(authentication.reason, address)
  const principal = requirePrincipal(authentication, address, limits.perAddress)
  requireBudget(limits.perPrincipal, principal.id)
  const exchange = { request, response, principal }
  if (request.method !== 'POST') return options.legacy.session(exchange)
  const message = await readMessage(request, response)
  if (message !== undefined) return serveMessage(exchange, message, options)
}

/** The body decides the era; both eras live at one address. */
async function serveMessage(exchange: Exchange, message: unknown, context: HttpContext): Promise<void> {
  if (!opensStream(message)) track(context.inFlight, exchange.response)
  const { headers } = exchange.request
  if (isPlainLegacy(message, headers)) return context.legacy.post(exchange, message)
  const hot = context.hot(exchange, message)
  if (hot !== null) return hot
  const { eraOf, modern } = await context.protocol()
  return eraOf(message, headers) === 'legacy' ? context.legacy.post(exchange, message) : modern.post(exchange, message)
}

/** A subscription never ends by itself, so closing does not wait for it. */
function opensStream(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'method' in message && message.method === 'subscriptions/listen'
  )
}

/** What certainly belongs to a session, known without the classification's schema checks. */
function isPlainLegacy(message: unknown, headers: IncomingMessage['headers']): boolean {
  if (headers['mcp-session-id'] === undefined || headers['mcp-method'] !== undefined) return false
  if (!speaksLegacy(headers['mcp-protocol-version'])) return false
  if (typeof message !== 'object' || message === null || !('method' in message)) return false
  if (!('params' in message)) return true
  const { params } = message
  return typeof params === 'object' && params !== null && !('_meta' in params)
}

/** The JSON-RPC message of the body, or `undefined` after having said what is wrong with it. */
async function readMessage(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const body = await readBody(request, maxBodyBytes)
  if (body === null) {
    throw new HttpRefusal(new ToolError('PAYLOAD_TOO_LARGE', 'The body is too large.'), { connection: 'close' })
  }
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

/** Before any header is believed: one that was left out could be the one that counts. */
function requireFewHeaders({ rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length <= 2 * maxHeaders) return
  throw refuse('HEADERS_TOO_LARGE', 'The request has too many header fields.', { connection: 'close' })
}

function requireMethod(request: IncomingMessage): void {
  if (request.method !== undefined && methods.includes(request.method)) return
  throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: methods.join(', ') })
}

function requireJson({ headers }: IncomingMessage): void {
  if (!jsonType.test(headers['content-type'] ?? ''))
    throw refuse('MEDIA_TYPE_NOT_SUPPORTED', 'The body must be application/json in UTF-8.')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw refuse('MEDIA_TYPE_NOT_SUPPORTED', 'Compressed bodies are not read.', { connection: 'close' })
  }
}

function requirePrincipal(authentication: Authentication, address: string, limit: RateLimit): Principal {
  if (authentication.principal !== null) return authentication.principal
  requireBudget(limit, address)
  const message = authentication.reason === 'missing' ? 'No credentials were sent.' : authentication.description
  throw refuse('AUTHENTICATION_REQUIRED', message, { 'www-authenticate': challengeHeader(authentication) })
}

function requireBudget(limit: RateLimit, caller: string): void {
  const verdict = limit.take(caller)
  if (verdict.ok) return
  throw refuse('RATE_LIMITED', 'Too many requests.', { 'retry-after': String(verdict.retryAfterSeconds) })
}

function answerHealth(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: 'GET, HEAD' })
  }
  sendJson(response, 200, '{"status":"ok"}')
}

function allowOrigin(response: ServerResponse, origin: string | null): void {
  if (origin === null) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-expose-headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After')
  response.setHeader('access-control-allow-methods', methods.join(', '))
  response.setHeader('access-control-allow-headers', corsHeaders)
}

function refuse(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}): HttpRefusal {
  return new HttpRefusal(new ToolError(code, message), headers)
}

function fail(response: ServerResponse, error: unknown, log: Log): void {
  if (response.destroyed) return
  if (error instanceof HttpRefusal && !response.headersSent) return sendProblem(response, error)
  log.error('http.unexpected_error', { error })
  if (response.headersSent) response.destroy()
  else sendProblem(response, refuse('INTERNAL', 'Something went wrong inside the server.'))
}

function openServer(
  { tls, headersTimeoutMs: headersTimeout }: HttpOptions,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const reading = {
    ...timeouts,
    headersTimeout,
    connectionsCheckingInterval: headersTimeout / 5,
    // Else of two Host or Content-Type fields the first would count here, and the last perhaps elsewhere.
    joinDuplicateHeaders: true,
  }
  const server =
    tls === null
      ? createPlainServer(reading, onRequest)
      : createTlsServer({ ...reading, ...tls, minVersion: 'TLSv1.3' }, onRequest)
  server.maxConnections = maxConnections
  // All are read, for Node drops those beyond its count in silence; their bytes it bounds itself.
  server.maxHeadersCount = 0
  return server
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('The server has no TCP address.'))
      else resolve(address)
    })
  })
}

function track(inFlight: Set<ServerResponse>, response: ServerResponse): void {
  inFlight.add(response)
  response.on('close', () => inFlight.delete(response))
}

async function drained(inFlight: ReadonlySet<ServerResponse>, timeoutMs: number): Promise<void> {
  const open = [...inFlight].map((response) => new Promise<void>((resolve) => response.on('close', () => resolve())))
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([Promise.all(open), patience])
  clearTimeout(timer)
}

const methods: readonly string[] = ['GET', 'POST', 'DELETE', 'OPTIONS']
const corsHeaders =
  'Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID'
const streamFlushMs = 1_000
/** Without a parameter, or with the one encoding that JSON has. */
const jsonType = /^application\/json[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i
const maxBodyBytes = 262_144
const maxDepth = 32
const maxConnections = 4_096
const maxHeaders = 100
const mostListeners = 24
/** Slow clients are cut off: 30 s for the whole request, looked after five times in the time for the headers. */
const timeouts = { requestTimeout: 30_000, keepAliveTimeout: 30_000 }
