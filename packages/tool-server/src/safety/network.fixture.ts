import { numberToHex } from 'viem'
import type { Pipeline } from './open-pipeline.fixture.ts'

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
  return (input, init) => {
    const asked: { id: number; method: string } | { id: number; method: string }[] = JSON.parse(
      typeof init?.body === 'string' ? init.body : '',
    )
    const ids = new Set(
      [asked]
        .flat()
        .filter((call) => call.method === method)
        .map(({ id }) => id),
    )
    return changing(input, init, (answer) => (ids.has(answer.id) ? rewrite(answer) : answer))
  }
}

async function changing(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  change: (answer: Answer) => Answer,
): Promise<Response> {
  const body = (await (await fetch(input, init)).json()) as Answer | Answer[]
  return Response.json(Array.isArray(body) ? body.map(change) : change(body))
}

/**
 * An endpoint behind which another node stands that is not past `block`: what is asked of the newest state is answered of
 * that one, and of a later block it knows nothing. Receipts come from a node that is not behind.
 */
export function laggingAt(block: bigint): typeof fetch {
  return (input, init) => {
    const body = (typeof init?.body === 'string' ? init.body : '').replaceAll('"latest"', `"${numberToHex(block)}"`)
    const asked = ([JSON.parse(body)] as StateRequest[]).flat()
    const unknown = new Set(asked.filter((request) => isOfLater(request, block)).map(({ id }) => id))
    const heads = new Set(asked.filter(({ method }) => method === 'eth_blockNumber').map(({ id }) => id))
    return changing(input, { ...init, body }, (answer) => {
      if (unknown.has(answer.id)) return { jsonrpc: '2.0', id: answer.id, error: { code: -32_000, message: notKnown } }
      return heads.has(answer.id) ? { ...answer, result: numberToHex(block) } : answer
    })
  }
}

type StateRequest = { readonly id: number; readonly method: string; readonly params?: readonly unknown[] }

const notKnown = 'header not found'
/** Where the block stands among the parameters. */
const blockPlaces: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_call: 1,
  eth_simulateV1: 1,
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
}

function isOfLater({ method, params }: StateRequest, block: bigint): boolean {
  const place = blockPlaces[method]
  const named = place === undefined ? undefined : params?.[place]
  return typeof named === 'string' && /^0x[0-9a-f]{1,16}$/.test(named) && BigInt(named) > block
}

/** Runs something once, just before the nth transaction leaves. */
export function beforeSending(pipeline: Pipeline, nth: number, work: () => Promise<void>): void {
  let sent = 0
  pipeline.network.fetch = async (input, init) => {
    if (methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')) {
      sent += 1
      if (sent === nth) await work()
    }
    return fetch(input, init)
  }
}

/** Runs something once, when the endpoint has answered the nth transaction. */
export function afterSending(pipeline: Pipeline, nth: number, work: () => Promise<void>): void {
  let sent = 0
  pipeline.network.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')) {
      sent += 1
      if (sent === nth) await work()
    }
    return response
  }
}

/** The endpoint is gone from the first request for a method on. */
export function dieAt(pipeline: Pipeline, method: string): void {
  let dead = false
  pipeline.network.fetch = async (input, init) => {
    dead ||= methodsIn(typeof init?.body === 'string' ? init.body : '').includes(method)
    if (dead) throw new TypeError('fetch failed')
    return fetch(input, init)
  }
}
