// An agent that makes one call: node agent.mjs WHERE TOOL name=value ... [.member ...]
// WHERE is the URL of a server, whose key stands in AGENT_KEY, or a data directory, on which a server is started. Prints the answer, or the members named.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [where, name, ...words] = process.argv.slice(2)
const members = words.filter((word) => word.startsWith('.')).map((word) => word.slice(1))
const given = words.filter((word) => !word.startsWith('.')).map((word) => word.split(/=(.*)/s).slice(0, 2))

const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
const headers = { Authorization: `Bearer ${process.env.AGENT_KEY}` }
await client.connect(
  where.startsWith('http')
    ? new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers } })
    : new StdioClientTransport({
        command: 'svc',
        args: ['serve', '--transport', 'stdio', '--data-dir', where],
        env: process.env,
        stderr: 'ignore',
      }),
)
const { isError, _meta, structuredContent } = await client.callTool({ name, arguments: Object.fromEntries(given) })
if (isError) {
  const { code, message, suggestion } = _meta['svc/error']
  console.log(`refused (${code}): ${message}\n${suggestion}`)
} else {
  const shown = members.length === 0 ? Object.keys(structuredContent) : members
  for (const member of shown) console.log(`${member}: ${JSON.stringify(structuredContent[member])}`)
}
await client.close()
