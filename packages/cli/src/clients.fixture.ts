import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ReadyLine } from './ready-line.ts'

/** A client of a world's server with its write key. */
export async function connect({ mcp }: Pick<ReadyLine, 'mcp'>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const headers = { Authorization: `Bearer ${mcp.keys.write}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit: { headers } }))
  await client.listTools()
  return client
}

/** Calls a tool that must answer. */
export async function call(client: Client, name: string, input: Record<string, unknown>) {
  const answer = await client.callTool({ name, arguments: input })
  if (answer.isError === true) throw new Error(JSON.stringify(answer.content))
  return answer.structuredContent as Record<string, unknown>
}

/** A request to a world's chain, or to another. */
export async function askChain(
  { rpc }: { readonly rpc: { readonly url: string } },
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(rpc.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  return ((await answer.json()) as { readonly result: unknown }).result
}
