import type { IncomingHttpHeaders } from 'node:http'
import {
  classifyInboundRequest,
  WebStandardStreamableHTTPServerTransport,
  type EventStore,
} from '@modelcontextprotocol/server'
import type { Log } from '@svc/runtime'
import { createNewMcpServer, type McpServerOptions, type NewMcpServer } from './mcp-server.ts'
import { createModernEra, type ModernEra } from './modern-era.ts'

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
