import { showsViews } from '../apps/app-views.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { ToolError } from '@svc/amm'
import { type CarriedPrincipals, createCarriedPrincipals } from './carried-principals.ts'
import { capabilitiesOfHandshake, takesForms } from './client-capabilities.ts'
import { type Exchange, webRequest, writeWebResponse } from './exchange.ts'
import { answerFastRequest, fastRequest, mayAsk, speaksLegacy, type FastRequest } from './fast-path.ts'
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
  const { sessions, testing } = options
  const { newMcpServer, newSessionTransport } = await options.protocol()
  if (!sessions.makeRoom(exchange.principal)) {
    throw new HttpRefusal(new ToolError('SESSION_LIMIT', 'The server holds no more sessions.'))
  }
  const id = options.newSessionId()
  const capabilities = capabilitiesOfHandshake(message.params)
  const transport = newSessionTransport(id, testing?.eventStore?.())
  const session: Session = {
    id,
    principal: exchange.principal,
    transport,
    takesForms: takesForms(capabilities),
    showsViews: showsViews(capabilities),
    inFlight: new Map(),
    exchanges: 0,
    lastSeenAt: options.now(),
  }
  sessions.add(session)
  try {
    // Another token of the same principal may go on with the session: what it asks for is in its own name.
    const server = newMcpServer((context) => options.principals.of(context?.http?.authInfo), 'legacy')
    await server.connect(transport)
    Object.assign(server, { onclose: () => sessions.remove(id) })
    await answerThroughSdk(exchange, session, message, requestIdOf(message), options)
  } finally {
    if (transport.sessionId === undefined) {
      sessions.remove(id)
      await transport.close()
    }
  }
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
    call.signal.addEventListener('abort', () => session.transport.closeSSEStream(id), { once: true })
  }
  session.exchanges += 1
  try {
    const given = {
      authInfo: options.principals.carry(exchange.principal),
      ...(message !== undefined && { parsedBody: message }),
    }
    await writeWebResponse(response, await session.transport.handleRequest(webRequest(request, call.signal), given))
  } finally {
    response.off('close', leave)
    if (id !== null) session.inFlight.delete(id)
    session.exchanges -= 1
    session.lastSeenAt = options.now()
  }
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
