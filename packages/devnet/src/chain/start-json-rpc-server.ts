import type { IncomingMessage } from 'node:http'
import { startStandInServer, type StandInServer } from '../services/stand-in-server.ts'
import { JsonRpcError } from './chain-client.ts'

/**
 * A JSON-RPC 2.0 endpoint over HTTP on 127.0.0.1, batches included. What `answer` returns is the result, a `JsonRpcError`
 * that it throws is the error as it stands, anything else thrown is an internal error (-32603). A promise that never settles
 * is silence until the caller leaves.
 */
export async function startJsonRpcServer(
  answer: (request: JsonRpcRequest) => Promise<unknown>,
): Promise<JsonRpcServer> {
  const methods = new Map<string, number>()
  const answerOne = async (request: JsonRpcRequest) => {
    methods.set(request.method, (methods.get(request.method) ?? 0) + 1)
    return { jsonrpc: '2.0', id: request.id ?? null, ...(await outcome(answer, request)) }
  }
  const { url, stop } = await startStandInServer((incoming, response) => {
    const handle = async () => {
      const asked = await readJson(incoming)
      const said = Array.isArray(asked)
        ? await Promise.all(asked.map(answerOne))
        : await answerOne(asked as JsonRpcRequest)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(said))
    }
    handle().catch(() => response.destroy())
  })
  return { url, methods: () => new Map(methods), stop }
}

export type JsonRpcRequest = {
  readonly id?: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

export type JsonRpcServer = StandInServer & {
  /** How many calls of each method came in, batched ones each for itself. */
  methods(): ReadonlyMap<string, number>
}

async function outcome(answer: (request: JsonRpcRequest) => Promise<unknown>, request: JsonRpcRequest) {
  try {
    return { result: await answer(request) }
  } catch (error) {
    if (!(error instanceof JsonRpcError)) return { error: { code: -32_603, message: String(error) } }
    const { code, message, data } = error
    return { error: { code, message, ...(data !== undefined && { data }) } }
  }
}

async function readJson(incoming: IncomingMessage): Promise<JsonRpcRequest | readonly JsonRpcRequest[]> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString()) as JsonRpcRequest | readonly JsonRpcRequest[]
}
