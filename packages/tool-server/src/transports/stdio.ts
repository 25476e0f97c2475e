import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Readable, Writable } from 'node:stream'
import { localPrincipal } from '../auth/local.ts'
import type { Log } from '@svc/runtime'
import type { NewMcpServer } from './mcp-server.ts'
import { readableLines } from './readable-lines.ts'
import { refuseDuplicateIds } from './refuse-duplicate-ids.ts'

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
