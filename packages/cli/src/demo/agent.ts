import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Transcript } from './transcript.ts'

/** A client of the server that writes every call and answer into the transcript. */
export async function openAgent(url: string, key: string, transcript: Transcript): Promise<Agent> {
  const client = new Client({ name: 'svc-demo', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }),
  )
  await client.listTools()
  const ask = async (name: string, input: Record<string, unknown>) => {
    transcript.call(name, input)
    return client.callTool({ name, arguments: input })
  }
  return {
    async call(name, input) {
      const answer = await ask(name, input)
      if (answer.isError === true) throw new Error(`${name} was refused: ${JSON.stringify(answer.content)}`)
      const result = asRecord(answer.structuredContent)
      transcript.result(result)
      return result
    },
    async refused(name, input) {
      const answer = await ask(name, input)
      if (answer.isError !== true) throw new Error(`${name} should have been refused`)
      transcript.refusal(asRecord(asRecord(answer['_meta'])['svc/error']))
    },
    close: () => client.close(),
  }
}

export type Agent = {
  /** Calls a tool and gives its result; throws when the server refuses. */
  call(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Calls a tool that must be refused; throws when it is not. */
  refused(name: string, input: Record<string, unknown>): Promise<void>
  close(): Promise<void>
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
