import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { startStandInServer } from './stand-in-server.ts'

/**
 * Stands between a program and a JSON-RPC endpoint on 127.0.0.1, and does to requests what bad days do: errors, silence,
 * broken connections, torn or foreign answers, lies about the chain. Without rules it passes everything on unchanged.
 * `random` in [0, 1) decides rules that have a chance; give a seeded one and a run can be had again. A batch is struck as
 * a whole when a rule names any of its methods; a lie changes the answers it speaks of.
 */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { target, random = Math.random } = options
  const agent = new Agent({ keepAlive: true })
  const seen = { methods: new Map<string, number>(), raw: new Map<string, number>(), faults: new Map<string, number>() }
  let rules = armed(options.rules ?? [])

  const choose = (methods: readonly string[]): Fault | null => {
    for (const rule of rules) {
      if (rule.left === 0 || !strikes(rule, methods)) continue
      if (rule.chance < 1 && random() >= rule.chance) continue
      rule.left -= 1
      count(seen.faults, rule.fault.kind)
      return rule.fault
    }
    return null
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(incoming)
    const calls = callsIn(body)
    for (const { method, params } of calls) {
      count(seen.methods, method)
      if (method === 'eth_sendRawTransaction') count(seen.raw, String(params?.[0]))
    }
    const fault = choose(calls.map(({ method }) => method))
    answer({ target, agent }, body, fault, calls, response)
  }

  const server = await startStandInServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy())
  })
  return {
    url: server.url,
    setRules: (next) => void (rules = armed(next)),
    methods: () => new Map(seen.methods),
    rawTransactions: () => new Map(seen.raw),
    faults: () => new Map(seen.faults),
    stop: async () => {
      agent.destroy()
      await server.stop()
    },
  }
}

export type FaultProxyOptions = {
  /** URL of the endpoint that answers in truth. */
  readonly target: string
  readonly rules?: readonly FaultRule[]
  readonly random?: () => number
}

export type FaultProxy = {
  readonly url: string
  /** Replaces the rules; their counts begin anew. */
  setRules(rules: readonly FaultRule[]): void
  /** How many calls of each method came in, batched ones each for itself. */
  methods(): ReadonlyMap<string, number>
  /** How often each signed transaction, by its serialised bytes, was offered. */
  rawTransactions(): ReadonlyMap<string, number>
  /** How many requests were struck, by kind of fault. */
  faults(): ReadonlyMap<string, number>
  /** Cuts off what is under way and stops listening. */
  stop(): Promise<void>
}

/** The first rule that fits a request strikes it. */
export type FaultRule = {
  readonly fault: Fault
  /** JSON-RPC methods that it strikes; any when absent. */
  readonly methods?: readonly string[]
  /** Share of the requests that it strikes, from 0 to 1; all when absent. */
  readonly chance?: number
  /** It strikes so many requests and no more; without an end when absent. */
  readonly times?: number
}

export type Fault =
  /** An HTTP error without a JSON body, for example 503, or 429 with `Retry-After`. Nothing is passed on. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Silence until the caller leaves. With `forwarded` the endpoint has done what was asked. */
  | { readonly kind: 'stall'; readonly forwarded?: boolean }
  /** The connection breaks. With `forwarded` the endpoint has done what was asked, and its answer is lost. */
  | { readonly kind: 'reset'; readonly forwarded: boolean }
  /** Half of the true answer. */
  | { readonly kind: 'truncated' }
  /** The error page of a gateway, with status 200. */
  | { readonly kind: 'html' }
  | Lie

type Armed = { readonly fault: Fault; readonly methods: readonly string[]; readonly chance: number; left: number }

type RpcCall = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] }

function armed(rules: readonly FaultRule[]): Armed[] {
  return rules.map(({ fault, methods = [], chance = 1, times = Infinity }) => ({ fault, methods, chance, left: times }))
}

/** A lie that nothing in the request is known about strikes nothing. */
function strikes({ methods, fault }: Armed, asked: readonly string[]): boolean {
  if (methods.length > 0 && !asked.some((method) => methods.includes(method))) return false
  return fault.kind !== 'lie' || asked.includes(fault.method)
}

function answer(
  upstream: { readonly target: string; readonly agent: Agent },
  body: Buffer,
  fault: Fault | null,
  calls: readonly RpcCall[],
  response: ServerResponse,
): void {
  if (!isForwarded(fault)) return withoutTruth(fault, response)
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const outgoing = request(upstream.target, { agent: upstream.agent, method: 'POST', headers }, (incoming) => {
    void readAll(incoming).then(
      (truth) => withTruth(fault, calls, { status: incoming.statusCode ?? 502, truth }, response),
      () => response.destroy(),
    )
  })
  outgoing.on('error', () => response.destroy())
  outgoing.end(body)
}

function isForwarded(fault: Fault | null): boolean {
  if (fault === null) return true
  if (fault.kind === 'reset' || fault.kind === 'stall') return fault.forwarded === true
  return fault.kind === 'truncated' || fault.kind === 'lie'
}

function withoutTruth(fault: Fault | null, response: ServerResponse): void {
  if (fault?.kind === 'status') {
    const retry = fault.retryAfterSeconds
    response.writeHead(fault.status, retry === undefined ? {} : { 'retry-after': `${retry}` })
    response.end()
  } else if (fault?.kind === 'html') {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<html><body><h1>Bad gateway</h1></body></html>')
  } else if (fault?.kind === 'reset') {
    response.socket?.resetAndDestroy()
  }
}

function withTruth(
  fault: Fault | null,
  calls: readonly RpcCall[],
  { status, truth }: { readonly status: number; readonly truth: Buffer },
  response: ServerResponse,
): void {
  if (fault?.kind === 'stall') return
  if (fault?.kind === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  const said = fault?.kind === 'lie' ? Buffer.from(changedBy(fault, calls, truth.toString())) : truth
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(fault?.kind === 'truncated' ? said.subarray(0, Math.floor(said.length / 2)) : said)
}

function callsIn(body: Buffer): readonly RpcCall[] {
  try {
    const asked: RpcCall | RpcCall[] = JSON.parse(body.toString())
    return [asked].flat().filter(({ method }) => typeof method === 'string')
  } catch {
    return []
  }
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part)
  return Buffer.concat(parts)
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/**
 * Changes the answers to one method; what `change` gives back is said instead of the truth. With `error` the method
 * fails by itself, and what stands beside it in a batch does not.
 */
export type Lie = {
  readonly kind: 'lie'
  readonly method: string
} & ({ readonly change: (result: unknown) => unknown } | { readonly error: { code: number; message: string } })

/** An endpoint that serves another chain. */
export function otherChain(chainId: number): Lie {
  return { kind: 'lie', method: 'eth_chainId', change: () => numberToHex(chainId) }
}

/** A newest block whose time is off by so many seconds: negative for a stale head, positive for one from the future. */
export function headOff(seconds: number): Lie {
  return { kind: 'lie', method: 'eth_getBlockByNumber', change: (block) => shifted(block, 'timestamp', seconds) }
}

/** A count of the account's transactions that is off by so many. Never below zero. */
export function nonceOff(by: number): Lie {
  return {
    kind: 'lie',
    method: 'eth_getTransactionCount',
    change: (count) => (typeof count === 'string' ? numberToHex(Math.max(0, Number(count) + by)) : count),
  }
}

/** An endpoint whose receipts lag behind its other answers: it knows none. */
export function receiptsHidden(): Lie {
  return { kind: 'lie', method: 'eth_getTransactionReceipt', change: () => null }
}

/** An endpoint that answers one method with an error of its own. */
export function failing(method: string, code = -32_603, message = 'Internal error'): Lie {
  return { kind: 'lie', method, error: { code, message } }
}

/** A JSON-RPC answer, or batch of answers, with a lie about the calls it speaks of. */
function changedBy(
  lie: Lie,
  calls: readonly { readonly id: unknown; readonly method: string }[],
  truth: string,
): string {
  const ids = new Set(calls.filter(({ method }) => method === lie.method).map(({ id }) => id))
  const reported = (answer: RpcAnswer): RpcAnswer => {
    if (!ids.has(answer.id) || !('result' in answer)) return answer
    const { result, ...rest } = answer
    return 'error' in lie ? { ...rest, error: lie.error } : { ...rest, result: lie.change(result) }
  }
  const answers: RpcAnswer | RpcAnswer[] = JSON.parse(truth)
  return JSON.stringify(Array.isArray(answers) ? answers.map(reported) : reported(answers))
}

type RpcAnswer = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown }

function shifted(value: unknown, member: string, by: number): unknown {
  if (typeof value !== 'object' || value === null || !(member in value)) return value
  return { ...value, [member]: numberToHex(Number(Object.entries(value).find(([name]) => name === member)?.[1]) + by) }
}

/** A quantity as JSON-RPC writes it. */
function numberToHex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}
