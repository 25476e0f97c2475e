import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { showsViews } from '../apps/app-views.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { ToolError } from '@svc/amm'
import type { Principal } from '@svc/engine'
import { lazily } from '../lazily.ts'
import {
  type CarriedPrincipals,
  createCarriedPrincipals,
  type Exchange,
  webRequest,
  writeWebResponse,
} from './exchange.ts'
import { capabilitiesOfHandshake, takesForms, type ServerInfo } from './protocol-facts.ts'
import {
  answerFastRequest,
  answerToHandshake,
  fastRequest,
  type FastRequest,
  type Handshake,
  isPlainBeginning,
  isPlainHandshake,
  mayAsk,
  speaksLegacy,
} from './fast-path.ts'
import { jsonRpcErrors, sendJson, sendJsonRpcError, HttpRefusal } from './answers.ts'
import type { McpTesting } from './mcp-server.ts'
import type { LoadProtocol } from './protocol.ts'
import type { Session, Sessions } from './sessions.ts'

/** Serves the 2025 revisions: sessions with `Mcp-Session-Id`, the GET stream, DELETE. */
export type LegacyEra = {
  post(exchange: Exchange, message: unknown): Promise<void>
  /** GET opens the session's stream, DELETE ends the session. */
  session(exchange: Exchange): Promise<void>
}

export type LegacyEraOptions = {
  readonly dispatch: Dispatch
  readonly sessions: Sessions
  readonly protocol: LoadProtocol
  readonly testing: McpTesting | null
  readonly info: ServerInfo
  readonly instructions: string
  /** Whether plain requests are answered without the protocol library. */
  readonly isFast: boolean
  readonly newSessionId: () => string
  /** Milliseconds on the clock of the sessions. */
  readonly now: () => number
}

type Serving = LegacyEraOptions & { readonly principals: CarriedPrincipals }

export function createLegacyEra(given: LegacyEraOptions): LegacyEra {
  const options = { ...given, principals: createCarriedPrincipals() }
  return Object.freeze({
    async post(exchange: Exchange, message: unknown) {
      if (isMessage(message) && message.method === 'initialize') return openSession(exchange, message, options)
      const session = findSession(exchange, options)
      if (session === null) return
      const id = requestIdOf(message)
      if (id !== null && session.inFlight.has(id)) {
        return sendJsonRpcError(exchange.response, 400, jsonRpcErrors.duplicateId, id)
      }
      cancelInFlight(session, message)
      if (
        options.isFast &&
        session.sdkTransport.made() === null &&
        isPlainBeginning(message, exchange.request.headers)
      ) {
        session.hasBegun = true
        return void exchange.response.writeHead(202).end()
      }
      const fast = fastRequestOf(exchange, session, message, options)
      if (fast !== null) return answerFast(exchange, session, fast, options)
      return answerThroughSdk(exchange, session, message, id, options)
    },
    async session(exchange: Exchange) {
      const session = findSession(exchange, options)
      if (session === null) return
      return answerThroughSdk(exchange, session, undefined, null, options)
    },
  })
}

async function openSession(
  exchange: Exchange,
  message: { readonly params?: unknown },
  options: Serving,
): Promise<void> {
  const { sessions, testing, isFast } = options
  const plain = isFast && testing === null && isPlainHandshake(message, exchange.request.headers) ? message : null
  if (plain === null) await options.protocol()
  if (!sessions.makeRoom(exchange.principal)) {
    throw new HttpRefusal(new ToolError('SESSION_LIMIT', 'The server holds no more sessions.'))
  }
  const session = newSession(exchange.principal, message, plain, options)
  sessions.add(session)
  if (plain !== null) {
    return sendJson(exchange.response, 200, answerToHandshake(plain, options), { 'mcp-session-id': session.id })
  }
  try {
    await answerThroughSdk(exchange, session, message, requestIdOf(message), options)
  } finally {
    const transport = await session.sdkTransport.made()?.catch(() => null)
    if (transport?.sessionId === undefined) {
      sessions.remove(session.id)
      await session.transport.close()
    }
  }
}

function newSession(
  principal: Principal,
  message: { readonly params?: unknown },
  plain: Handshake | null,
  options: Serving,
): Session {
  const id = options.newSessionId()
  const capabilities = capabilitiesOfHandshake(message.params)
  const sdkTransport = lazily(async () => {
    const { newMcpServer, newSessionTransport } = await options.protocol()
    const transport = newSessionTransport(id, options.testing?.eventStore?.())
    // Another token of the same principal may go on with the session: what it asks for is in its own name.
    const server = newMcpServer((context) => options.principals.of(context?.http?.authInfo), 'legacy')
    await server.connect(transport)
    Object.assign(server, { onclose: () => options.sessions.remove(id) })
    const { hasBegun } = session
    if (plain !== null)
      await repeatHandshake(transport, { message: plain, principal, sessionId: id, hasBegun }, options.principals)
    return transport
  })
  const session: Session = {
    id,
    principal,
    transport: { close: async () => (await sdkTransport.made())?.close() },
    sdkTransport,
    hasBegun: false,
    takesForms: takesForms(capabilities),
    showsViews: showsViews(capabilities),
    inFlight: new Map(),
    exchanges: 0,
    lastSeenAt: options.now(),
  }
  return session
}

/** Tells the protocol library's end of a session what its client said before that end was made. */
async function repeatHandshake(
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

type Said = {
  readonly message: Handshake
  readonly principal: Principal
  readonly sessionId: string
  readonly hasBegun: boolean
}

/** The session of the header, or `null` after having said that there is none. */
function findSession(exchange: Exchange, options: LegacyEraOptions): Session | null {
  const header = exchange.request.headers['mcp-session-id']
  if (typeof header !== 'string') {
    sendJsonRpcError(exchange.response, 400, jsonRpcErrors.sessionMissing)
    return null
  }
  const session = options.sessions.find(header, exchange.principal)
  if (session === null) sendJsonRpcError(exchange.response, 404, jsonRpcErrors.sessionUnknown)
  return session
}

/** What can be answered without the protocol library; nothing that a person at the client may have to be asked about. */
function fastRequestOf(
  { request: { headers } }: Exchange,
  session: Session,
  message: unknown,
  { dispatch, testing, isFast }: LegacyEraOptions,
): FastRequest | null {
  if (!isFast || (testing !== null && !isToolCall(message)) || !speaksLegacy(headers['mcp-protocol-version']))
    return null
  const fast = fastRequest(message, headers.accept, dispatch)
  return fast !== null && session.takesForms && mayAsk(fast, dispatch) ? null : fast
}

async function answerFast(
  exchange: Exchange,
  session: Session,
  fast: FastRequest,
  options: LegacyEraOptions,
): Promise<void> {
  const { response, principal } = exchange
  const call = new AbortController()
  const leave = () => call.abort()
  response.on('close', leave)
  session.inFlight.set(fast.id, call)
  session.exchanges += 1
  try {
    const caller = { principal, views: session.showsViews, signal: call.signal }
    const body = await answerFastRequest(fast, { ...caller, sessionId: session.id }, options.dispatch)
    session.inFlight.delete(fast.id)
    response.off('close', leave)
    if (response.destroyed) return
    // A cancelled request gets no response: the exchange ends as a stream without one.
    if (call.signal.aborted) response.writeHead(200, { ...asStream, 'mcp-session-id': session.id }).end()
    else sendJson(response, 200, body, { 'mcp-session-id': session.id })
  } finally {
    session.inFlight.delete(fast.id)
    session.exchanges -= 1
    session.lastSeenAt = options.now()
  }
}

const asStream = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

async function answerThroughSdk(
  exchange: Exchange,
  session: Session,
  message: unknown,
  id: string | number | null,
  options: Serving,
): Promise<void> {
  const { request, response } = exchange
  const call = new AbortController()
  const leave = () => call.abort()
  response.on('close', leave)
  if (id !== null) {
    session.inFlight.set(id, call)
    call.signal.addEventListener('abort', () => void closeStream(session, id), { once: true })
  }
  session.exchanges += 1
  try {
    const transport = await session.sdkTransport.get()
    const given = {
      authInfo: options.principals.carry(exchange.principal),
      ...(message !== undefined && { parsedBody: message }),
    }
    await writeWebResponse(response, await transport.handleRequest(webRequest(request, call.signal), given))
  } finally {
    response.off('close', leave)
    if (id !== null) session.inFlight.delete(id)
    session.exchanges -= 1
    session.lastSeenAt = options.now()
  }
}

async function closeStream({ sdkTransport }: Session, id: string | number): Promise<void> {
  const transport = await sdkTransport.made()
  transport?.closeSSEStream(id)
}

/** A cancellation reaches a call wherever it is being answered. */
function cancelInFlight(session: Session, message: unknown): void {
  if (!isMessage(message) || message.method !== 'notifications/cancelled') return
  const { params } = message
  const requestId = typeof params === 'object' && params !== null && 'requestId' in params ? params.requestId : null
  if (typeof requestId === 'string' || typeof requestId === 'number') session.inFlight.get(requestId)?.abort()
}

function requestIdOf(message: unknown): string | number | null {
  if (!isMessage(message) || typeof message.method !== 'string') return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}

function isToolCall(message: unknown): boolean {
  return isMessage(message) && message.method === 'tools/call'
}

function isMessage(
  message: unknown,
): message is { readonly method?: unknown; readonly id?: unknown; readonly params?: unknown } {
  return typeof message === 'object' && message !== null
}
