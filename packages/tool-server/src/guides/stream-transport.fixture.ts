import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { Client as ModernClient, type Transport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport as FirstTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ToolServer } from '../server.ts'

/** Connects a client of the current SDK to a server over a pair of streams. */
export async function connectStdio(server: ToolServer, era: 'legacy' | 'modern') {
  const client = new ModernClient(
    { name: 'test', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  )
  const transport: ModernTransport = streamsTo(server, (message) => transport.onmessage?.(message))
  await client.connect(transport)
  return client
}

/** The same for a client of the first SDK generation. */
export async function connectStdioFirst(server: ToolServer) {
  const client = new FirstClient({ name: 'test', version: '1' })
  const transport: FirstTransport = streamsTo(server, (message) => transport.onmessage?.(message))
  await client.connect(transport)
  return client
}

/** The client's end: a line for each message. Closing it ends what the server serves. */
function streamsTo(server: ToolServer, hear: (message: never) => void) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = server.serveStdio({ input, output })
  return {
    async start() {
      createInterface({ input: output }).on('line', (line) => hear(JSON.parse(line) as never))
    },
    async send(message: unknown) {
      input.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      input.end()
      await served
    },
  }
}
