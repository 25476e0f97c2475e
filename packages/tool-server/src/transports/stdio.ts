import { jsonRpcErrors } from './answers.ts'
import { boundCalls } from './bound-calls.ts'
import { type Principal, scopes } from '@svc/engine'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { type Readable, type Writable, Transform } from 'node:stream'
import type { Log } from '@svc/runtime'
import type { NewMcpServer } from './mcp-server.ts'
import { parseJson } from './json-body.ts'

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
  const transport = boundCalls(new StdioServerTransport(lines, output, { maxBufferSize: maxMessageBytes }))
  const handle = serveStdio(({ era }) => newMcpServer(() => localPrincipal, era), {
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
 * Passes on the lines that are JSON of an allowed depth and answers the others with a JSON-RPC error, so that nothing of
 * a hostile depth is ever built. A line that outgrows `maxBytes` is passed on as it stands, for the reader to refuse.
 */
function readableLines(options: {
  readonly maxDepth: number
  readonly maxBytes: number
  /** Takes the answer to a line that is not passed on. */
  readonly refuse: (line: string) => void
}): Transform {
  const { maxDepth, maxBytes, refuse } = options
  let rest: Buffer = Buffer.alloc(0)
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      const parts = splitLines(Buffer.concat([rest, chunk]))
      rest = parts.rest
      for (const line of parts.lines) {
        const parsed = line.length > maxBytes ? null : parseJson(line, maxDepth)
        if (parsed === null || parsed.ok) this.push(line)
        else if (line.toString().trim() !== '') refuse(answerTo(parsed.reason))
      }
      if (rest.length > maxBytes) {
        this.push(rest)
        rest = Buffer.alloc(0)
      }
      done()
    },
  })
}

/** Whole lines with their ends, and what follows the last one. */
function splitLines(text: Buffer): { readonly lines: readonly Buffer[]; readonly rest: Buffer } {
  const lines: Buffer[] = []
  let from = 0
  for (let end = text.indexOf(lineFeed); end !== -1; end = text.indexOf(lineFeed, from)) {
    lines.push(text.subarray(from, end + 1))
    from = end + 1
  }
  return { lines, rest: text.subarray(from) }
}

function answerTo(reason: 'malformed' | 'too-deep'): string {
  const error = reason === 'too-deep' ? jsonRpcErrors.tooDeep : jsonRpcErrors.malformed
  return `${JSON.stringify({ jsonrpc: '2.0', error, id: null })}\n`
}

const lineFeed = 0x0a
