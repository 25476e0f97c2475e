import {
  classifyInboundRequest,
  createMcpHandler,
  type EventStore,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Principal } from '@svc/engine'
import type { Log } from '@svc/runtime'
import type { TaskService } from '../tasks/task-service.ts'
import { jsonRpcErrors, sendJsonRpcError, HttpRefusal } from './answers.ts'
import { createCarriedPrincipals, type Exchange, shortened, webRequest, writeWebResponse } from './exchange.ts'
import { capabilitiesOfEnvelope, takesTasks } from './protocol-facts.ts'
import { createNewMcpServer, type McpServerOptions, type NewMcpServer } from './mcp-server.ts'
import { kindOfAnswer } from './request-stages.ts'
import { createTaskStreams, isTaskListening, type Listening } from './request-handlers.ts'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { ToolError } from '@svc/amm'
import { createSessions, type Held } from './sessions.ts'

/**
 * Everything the protocol library does for the transports. Loading and building it costs more than the rest of a start,
 * and what the fast path answers does without it, so it is loaded when the first other one comes.
 */
export type Protocol = {
  readonly newMcpServer: NewMcpServer
  readonly modern: ModernEra
  /** Without an id nothing is kept of it: it takes one request. */
  readonly newSessionTransport: (
    id: string | null,
    eventStore: EventStore | undefined,
  ) => WebStandardStreamableHTTPServerTransport
  /** The era of a POST by its body and headers. */
  readonly eraOf: (message: unknown, headers: IncomingHttpHeaders) => 'legacy' | 'modern'
}

export type LoadProtocol = () => Promise<Protocol>

export function createProtocol(options: ProtocolOptions): Protocol {
  const { log, dispatch, now, mostStreams } = options
  const newMcpServer = createNewMcpServer(options)
  const streams = createHeldStreams({ max: mostStreams, now })
  const modern = createModernEra({ newMcpServer, log, streams, tasks: dispatch.tasks?.service ?? null })
  dispatch.watches.listen((_owner, uri) => modern.resourceUpdated(uri))
  return Object.freeze({
    newMcpServer,
    modern,
    newSessionTransport: (id: string | null, eventStore: EventStore | undefined) =>
      new WebStandardStreamableHTTPServerTransport({
        ...(id === null ? {} : { sessionIdGenerator: () => id }),
        ...(eventStore === undefined ? {} : { eventStore }),
      }),
    eraOf,
  })
}

export type ProtocolOptions = McpServerOptions & {
  readonly log: Log
  /** How many streams there may be outside of sessions. */
  readonly mostStreams: number
}

function eraOf(message: unknown, headers: IncomingHttpHeaders): 'legacy' | 'modern' {
  const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined)
  const [version, method, name] = [header('mcp-protocol-version'), header('mcp-method'), header('mcp-name')]
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  })
  return outcome.kind === 'legacy' ? 'legacy' : 'modern'
}

/** Serves revision 2026-07-28: every request stands alone, nothing is kept between two of them. */
type ModernEra = {
  post(exchange: Exchange, message: unknown): Promise<void>
  /** Tells the streams that listen to a resource that it has changed. Whoever listens knows its URI; who reads it is asked again. */
  resourceUpdated(uri: string): void
  close(): Promise<void>
}

type ModernEraOptions = {
  readonly newMcpServer: NewMcpServer
  readonly log: Log
  readonly streams: HeldStreams
  /** `null` where calls are not answered later. */
  readonly tasks: TaskService | null
}

export function createModernEra(options: ModernEraOptions): ModernEra {
  const principals = createCarriedPrincipals()
  const handler = createMcpHandler(
    (context) => {
      const principal = principals.of(context.authInfo)
      return options.newMcpServer(() => principal, 'modern', handler.notify)
    },
    {
      legacy: 'reject',
      // How many there are, and whose, is decided before.
      maxSubscriptions: Infinity,
      onerror: (error) => options.log.debug('mcp.modern', { error }),
    },
  )
  const taskStreams = options.tasks === null ? null : createTaskStreams(options.tasks, handler.bus)

  /** A stream that is to tell of tasks begins with what they are now. */
  async function fetched(request: Request, message: unknown, principal: Principal): Promise<Response> {
    const authInfo = principals.carry(principal)
    if (taskStreams === null || !isTaskListening(message) || !listenerTakesTasks(message))
      return handler.fetch(request, { authInfo, parsedBody: message })
    const listening = await taskStreams.translate(message, principal)
    const answer = await handler.fetch(request, { authInfo, parsedBody: listening.message })
    listening.begin()
    return taskStreams.restore(answer)
  }

  /** A frame of its own, so that a stream does not hold the request that opened it as long as it is open. */
  async function write(response: ServerResponse, answer: Promise<Response>, leave: () => void): Promise<void> {
    response.on('close', leave)
    try {
      await writeWebResponse(response, await shortened(await answer))
    } finally {
      response.off('close', leave)
    }
  }

  return Object.freeze({
    async post(exchange: Exchange, message: unknown) {
      const { request, response, principal } = exchange
      if (isTaskListening(message) && !listenerTakesTasks(message)) {
        return sendJsonRpcError(response, 400, jsonRpcErrors.tasksMissing, requestIdOf(message))
      }
      if (kindOfAnswer(message) === 'stream') options.streams.hold(exchange)
      const left = new AbortController()
      return write(response, fetched(webRequest(request, left.signal), message, principal), () => left.abort())
    },
    resourceUpdated: (uri: string) => handler.notify.resourceUpdated(uri),
    close: () => handler.close(),
  })
}

function listenerTakesTasks({ params }: Listening): boolean {
  return takesTasks(capabilitiesOfEnvelope(params['_meta']))
}

function requestIdOf({ id }: Listening): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/**
 * The streams of revision 2026-07-28, which belong to no session and end when their client leaves: as many at once as there may be sessions, and
 * shared among callers by the same rule.
 */
export function createHeldStreams({ max, now }: { readonly max: number; readonly now: () => number }): HeldStreams {
  const streams = createSessions<Held>({ max, idleMs: Infinity, now })
  return {
    hold({ principal, response }) {
      if (!streams.makeRoom(principal)) {
        throw new HttpRefusal(new ToolError('SESSION_LIMIT', 'The server holds no more streams.'))
      }
      const id = randomUUID()
      const transport = { close: async () => void response.destroy() }
      streams.add({ id, principal, transport, inFlight: new Map(), exchanges: 1, lastSeenAt: now() })
      response.on('close', () => streams.remove(id))
    },
  }
}

type HeldStreams = {
  /** Holds an answer that is to be a stream, until it is closed; ends another for it where all are taken. Throws `SESSION_LIMIT`. */
  hold(exchange: Pick<Exchange, 'principal' | 'response'>): void
}
