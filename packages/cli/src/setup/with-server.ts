import { randomBytes } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Config, openServer, provisionKeys } from '@svc/tool-server'
import * as z from 'zod'
import { refusalForm, toolRefusal } from '../lp/tool-refusal.ts'

/** Opens the server of a configuration, asks it as a client with the write key does, and closes it whatever comes out. */
export async function withServer<T>(config: Config, ask: (call: CallTool) => Promise<T>): Promise<T> {
  const server = await openServer(config)
  const client = new Client({ name: 'svc-setup', version: '1.0.0' })
  try {
    const { url } = await server.listen()
    const headers = { Authorization: `Bearer ${provisionKeys(config, randomBytes).write.reveal()}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    return await ask(async (name, input) => {
      const answer = await client.callTool({ name, arguments: input }, { timeout: patienceMs })
      if (answer.isError === true) throw toolRefusal(refusalForm.parse(answer['_meta'])['svc/error'])
      return z.record(z.string(), z.unknown()).parse(answer.structuredContent)
    })
  } finally {
    await client.close()
    await server.close()
  }
}

type CallTool = (name: string, input: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>

/** A registration waits for its confirmations. */
const patienceMs = 180_000
