import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { jsonRpcErrors } from './answers.ts'
import { type Principal, scopes } from '@svc/engine'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Readable, Writable } from 'node:stream'
import type { Log } from '@svc/runtime'
import type { NewMcpServer } from './mcp-server.ts'
import { readableLines } from './readable-lines.ts'

/** Serves one client over a pair of streams. */
export type StdioTransport = {
  /** Resolves when the client has closed its end, or after `close()`. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/**
 * Serves both eras over stdin and stdout. Whoever holds the other end started the process, so it acts as the local
 * principal. Nothing but JSON-RPC is written to `output`.
 */
export function createStdioTransport(options: {
  readonly newMcpServer: NewMcpServer
  readonly input: Readable
  readonly output: Writable
  readonly log: Log
}): StdioTransport {
  const { input, output, newMcpServer, log } = options
  const lines = input.pipe(readableLines({ maxDepth, maxBytes: maxMessageBytes, refuse: (line) => output.write(line) }))
  input.on('error', (error) => log.debug('mcp.stdio', { error }))
  input.once('close', () => lines.end())
  const transport = refuseDuplicateIds(new StdioServerTransport(lines, output, { maxBufferSize: maxMessageBytes }))
  const handle = serveStdio(({ era }) => newMcpServer(localPrincipal, era), {
    transport,
    onerror: (error) => log.debug('mcp.stdio', { error }),
  })
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
    output.once('error', () => resolve())
  })
  return Object.freeze({
    ended,
    async close() {
      input.unpipe(lines).pause()
      await handle.close()
    },
  })
}

/** One message, as over HTTP. */
const maxMessageBytes = 262_144
const maxDepth = 32

/** Whoever started the process over stdio: the operator's own agent, with every scope. */
export const localPrincipal: Principal = Object.freeze({
  id: 'local',
  stage: 'local',
  tier: null,
  scopes: new Set(scopes),
  expiresAt: null,
})

/**
 * Lays over a transport that a request is refused while another with its id is being answered: the protocol could not
 * tell their answers apart.
 */
function refuseDuplicateIds(transport: Transport): Transport {
  const inFlight = new Set<string | number>()
  const guarded: Transport = {
    async start() {
      Object.assign(transport, {
        onclose: () => guarded.onclose?.(),
        onerror: (error: Error) => guarded.onerror?.(error),
        onmessage: (message: JSONRPCMessage) => receive(message),
      })
      await transport.start()
    },
    async send(message, options) {
      if (!('method' in message) && message.id !== undefined) inFlight.delete(message.id)
      await transport.send(message, options)
    },
    close: () => transport.close(),
  }
  return guarded

  function receive(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'notifications/cancelled') forget(message.params)
    if (!('method' in message) || !('id' in message)) return guarded.onmessage?.(message)
    if (inFlight.has(message.id)) {
      const refusal = { jsonrpc: '2.0' as const, id: message.id, error: jsonRpcErrors.duplicateId }
      return void transport.send(refusal).catch((error: Error) => guarded.onerror?.(error))
    }
    inFlight.add(message.id)
    return guarded.onmessage?.(message)
  }

  /** A cancelled request gets no answer that would free its id. */
  function forget(params: unknown): void {
    const id = typeof params === 'object' && params !== null && 'requestId' in params ? params.requestId : null
    if (typeof id === 'string' || typeof id === 'number') inFlight.delete(id)
  }
}
