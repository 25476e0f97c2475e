import {
  type AuthInfo,
  classifyInboundRequest,
  createMcpHandler,
  type EventStore,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Principal } from '@svc/engine'
import type { Log } from '@svc/runtime'
import { type Exchange, webRequest, writeWebResponse } from './exchange.ts'
import { createNewMcpServer, type McpServerOptions, type NewMcpServer } from './mcp-server.ts'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Everything the protocol library does for the transports. Loading and building it costs more than the rest of a start,
 * and the hot requests do without it, so it is loaded when the first other one comes.
 */
export type Protocol = {
  readonly newMcpServer: NewMcpServer
  readonly modern: ModernEra
  readonly newSessionTransport: (
    id: string,
    eventStore: EventStore | undefined,
  ) => WebStandardStreamableHTTPServerTransport
  /** The era of a POST by its body and headers. */
  readonly eraOf: (message: unknown, headers: IncomingHttpHeaders) => 'legacy' | 'modern'
}

export type LoadProtocol = () => Promise<Protocol>

export function createProtocol(options: McpServerOptions & { readonly log: Log }): Protocol {
  const newMcpServer = createNewMcpServer(options)
  return Object.freeze({
    newMcpServer,
    modern: createModernEra({ newMcpServer, log: options.log }),
    newSessionTransport: (id: string, eventStore: EventStore | undefined) =>
      new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        ...(eventStore === undefined ? {} : { eventStore }),
      }),
    eraOf,
  })
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
  close(): Promise<void>
}

export function createModernEra(options: { readonly newMcpServer: NewMcpServer; readonly log: Log }): ModernEra {
  const principals = new WeakMap<AuthInfo, Principal>()
  const handler = createMcpHandler(
    (context) => {
      const principal = context.authInfo === undefined ? undefined : principals.get(context.authInfo)
      if (principal === undefined) throw new Error('A request reached the protocol without a principal.')
      return options.newMcpServer(principal, 'modern', handler.notify)
    },
    { legacy: 'reject', onerror: (error) => options.log.debug('mcp.modern', { error }) },
  )
  return Object.freeze({
    async post({ request, response, principal }: Exchange, message: unknown) {
      const left = new AbortController()
      const leave = () => left.abort()
      response.on('close', leave)
      const authInfo: AuthInfo = { token: '', clientId: principal.id, scopes: [...principal.scopes] }
      principals.set(authInfo, principal)
      try {
        const answer = await handler.fetch(webRequest(request, left.signal), { authInfo, parsedBody: message })
        await writeWebResponse(response, answer)
      } finally {
        response.off('close', leave)
      }
    },
    close: () => handler.close(),
  })
}
