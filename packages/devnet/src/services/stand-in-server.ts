import { createServer, type RequestListener, type ServerResponse, type IncomingMessage } from 'node:http'
import { JsonRpcError } from '../chain/chain-client.ts'

/** Listens on a free port of 127.0.0.1. */
export async function startStandInServer(listener: RequestListener): Promise<StandInServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A server of a stand-in; `stop` ends its connections too. */
type StandInServer = { readonly url: string; readonly stop: () => Promise<void> }

/** What may go wrong with any answer over HTTP. */
export type AnswerFault =
  | { readonly kind: 'status'; readonly status: number }
  /** This body as it stands; with 200 by default. */
  | { readonly kind: 'say'; readonly body: string; readonly status?: number }
  /** Hangs up. */
  | { readonly kind: 'drop' }
  /** Silence until the caller leaves. */
  | { readonly kind: 'stall' }
  /** A body that never ends. */
  | { readonly kind: 'endless' }

/** Answers as the fault says; `error` is the body of a status. */
export function misbehave(fault: AnswerFault, response: ServerResponse, error: object): void {
  switch (fault.kind) {
    case 'status':
      return answerJson(response, fault.status, error)
    case 'say':
      return void response.writeHead(fault.status ?? 200, { 'content-type': 'application/json' }).end(fault.body)
    case 'drop':
      return void response.destroy()
    case 'stall':
      return
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/json' })
      return pour(response)
  }
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function pour(response: ServerResponse): void {
  if (response.destroyed) return
  response.write(' '.repeat(64 * 1024), () => setImmediate(() => pour(response)))
}

/** Rules of when a stand-in misbehaves, in order: the first that fits a call and is not used up decides. */
export function createFaultRules<F>(): FaultRules<F> {
  let rules: { readonly fault: F; readonly methods: readonly string[]; left: number }[] = []
  return {
    set: (next) => {
      rules = next.map(({ fault, methods = [], times = Infinity }) => ({ fault, methods, left: times }))
    },
    choose: (method) => {
      const rule = rules.find(({ methods, left }) => left > 0 && (methods.length === 0 || methods.includes(method)))
      if (!rule) return null
      rule.left -= 1
      return rule.fault
    },
  }
}

export type StandInFault<F> = {
  readonly fault: F
  /** Only calls of these methods; of every method that the fault can strike when absent. */
  readonly methods?: readonly string[]
  /** It strikes so many calls and no more; without an end when absent. */
  readonly times?: number
}

export type FaultRules<F> = {
  /** Replaces the rules; their counts begin anew. */
  set(rules: readonly StandInFault<F>[]): void
  choose(method: string): F | null
}

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
