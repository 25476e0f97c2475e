import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const identity = { name: 'svc-integration', version: '1' }

/** A client of each generation; both hold every answer against the schema that the tool lists. */
export const clients = {
  'first SDK': (mcp) => connected(new FirstClient(identity), FirstTransport, mcp),
  'current SDK': (mcp) =>
    connected(new Client(identity, { versionNegotiation: { mode: 'auto' } }), StreamableHTTPClientTransport, mcp),
}

async function connected(client, Transport, { url, keys }) {
  const requestInit = { headers: { Authorization: `Bearer ${keys.write}` } }
  await client.connect(new Transport(new URL(url), { requestInit }))
  const { tools } = await client.listTools()
  return {
    tools: tools.map(({ name }) => name),
    /** `{ result }`, or `{ refusal }` with code, message and suggestion. */
    async call(name, input) {
      const answer = await client.callTool({ name, arguments: input })
      if (answer.isError === true) return { refusal: answer._meta['svc/error'] }
      return { result: answer.structuredContent }
    },
    close: () => client.close(),
  }
}
