import { createServer, type RequestListener, type ServerResponse } from 'node:http'

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
export type StandInServer = { readonly url: string; readonly stop: () => Promise<void> }

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
