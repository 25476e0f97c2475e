import type { Road } from './open-road.fixture.ts'

/** The methods of a JSON-RPC request or batch. */
export function methodsIn(body: string): readonly string[] {
  return [...body.matchAll(/"method":"(\w+)"/g)].flatMap(([, method]) => method ?? [])
}

/** An endpoint that answers one method with an error. */
export function answering(method: string, error: { code: number; message: string }): typeof fetch {
  return rewriting(method, (answer) => ({ jsonrpc: answer.jsonrpc, id: answer.id, error }))
}

/** An endpoint that answers one method with another result. */
export function mangling(method: string, change: () => unknown): typeof fetch {
  return rewriting(method, (answer) => ({ ...answer, result: change() }))
}

type Answer = { jsonrpc: string; id: number; result?: unknown; error?: unknown }

/** An endpoint whose answers to one method are changed. */
export function rewriting(method: string, rewrite: (answer: Answer) => Answer): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const asked: { id: number; method: string } | { id: number; method: string }[] = JSON.parse(
      typeof init?.body === 'string' ? init.body : '',
    )
    const body = (await response.json()) as Answer | Answer[]
    const ids = new Set(
      [asked]
        .flat()
        .filter((call) => call.method === method)
        .map(({ id }) => id),
    )
    const change = (answer: Answer): Answer => (ids.has(answer.id) ? rewrite(answer) : answer)
    return Response.json(Array.isArray(body) ? body.map(change) : change(body))
  }
}

/** Runs something once, just before the nth transaction leaves. */
export function beforeSending(road: Road, nth: number, work: () => Promise<void>): void {
  let sent = 0
  road.network.fetch = async (input, init) => {
    if (methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')) {
      sent += 1
      if (sent === nth) await work()
    }
    return fetch(input, init)
  }
}

/** Runs something once, when the endpoint has answered the nth transaction. */
export function afterSending(road: Road, nth: number, work: () => Promise<void>): void {
  let sent = 0
  road.network.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')) {
      sent += 1
      if (sent === nth) await work()
    }
    return response
  }
}

/** The endpoint is gone from the first request for a method on. */
export function dieAt(road: Road, method: string): void {
  let dead = false
  road.network.fetch = async (input, init) => {
    dead ||= methodsIn(typeof init?.body === 'string' ? init.body : '').includes(method)
    if (dead) throw new TypeError('fetch failed')
    return fetch(input, init)
  }
}
