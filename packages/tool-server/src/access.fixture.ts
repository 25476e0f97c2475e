import { PassThrough } from 'node:stream'
import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { vi } from 'vitest'
import { WebSocket } from 'ws'

type Headers = Readonly<Record<string, string>>

/** A client of one of the two SDK generations, over one transport, with these credentials. */
export async function openAccess(
  transport: AccessTransport,
  server: AccessServer,
  headers: Headers,
): Promise<AccessClient> {
  const info = { name: 'walk', version: '1' }
  const refusals = createRefusals()
  const init = { requestInit: { headers }, fetch: (...asked: Parameters<typeof fetch>) => refusals.fetch(...asked) }
  if (transport === 'HTTP, 2026-07-28') {
    const client = new ModernClient(info, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), init))
    return walked(client, refusals)
  }
  const client = new FirstClient(info)
  if (transport === 'HTTP, sessions of before') await client.connect(new FirstTransport(new URL(server.url), init))
  else if (transport === 'WebSocket') await connectSocket(client, server.url, headers)
  else await client.connect(stdioOf(server))
  return walked(client, refusals)
}

/** As docs/access.md calls them. */
type AccessTransport = 'stdio' | 'HTTP, 2026-07-28' | 'HTTP, sessions of before' | 'WebSocket'

type AccessServer = {
  readonly url: string
  serveStdio(streams: { readonly input: PassThrough; readonly output: PassThrough }): Promise<void>
}

type AccessClient = {
  /** Names of what is listed. */
  list(): Promise<readonly string[]>
  /** What became of a call with arguments that no tool takes: the code of its answer, with the status of a refusal before that. */
  call(name: string): Promise<string>
  close(): Promise<void>
}

function walked(client: ModernClient | FirstClient, refusals: ReturnType<typeof createRefusals>): AccessClient {
  return {
    async list() {
      const { tools } = await client.listTools()
      return tools.map(({ name }) => name)
    },
    async call(name) {
      try {
        const { isError, _meta: meta } = await client.callTool({ name, arguments: { noSuchParameter: true } })
        const { code } = (meta?.['svc/error'] ?? {}) as { readonly code?: string }
        return isError === true ? (code ?? 'an error without a code') : 'an answer'
      } catch (error) {
        return refusals.last() ?? String(error)
      }
    },
    close: () => client.close(),
  }
}

/** Remembers which status and code an HTTP request was refused with, which the clients tell in words of their own. */
function createRefusals() {
  let last: string | null = null
  return {
    last: () => last,
    async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
      const answer = await fetch(input, init)
      last = null
      if (answer.status < 400 || answer.status === 405) return answer
      const { code } = (await answer.clone().json()) as { readonly code?: string }
      const challenge = answer.headers.get('www-authenticate')
      const scope = /error="insufficient_scope".* scope="([^"]+)"/.exec(challenge ?? '')?.[1]
      last = `${answer.status} ${code}${scope === undefined ? '' : ` ${scope}`}`
      return answer
    },
  }
}

/** The transport of the first SDK takes whatever stands under the name of a browser's own class. */
async function connectSocket(client: FirstClient, url: string, headers: Headers): Promise<void> {
  class WithCredentials extends WebSocket {
    constructor(address: string | URL, protocol: string) {
      super(address, protocol, { headers })
    }
  }
  vi.stubGlobal('WebSocket', WithCredentials)
  try {
    await client.connect(new WebSocketClientTransport(new URL(url.replace('http', 'ws'))))
  } finally {
    vi.unstubAllGlobals()
  }
}

/** Both ends of a pair of streams; read and written by lines, whichever side it is. */
function stdioOf(server: AccessServer): StdioServerTransport {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  void server.serveStdio({ input: toServer, output: toClient })
  return new StdioServerTransport(toClient, toServer)
}
