import { urlCredentials } from '@svc/wallet/core'
import { RpcRequestError } from 'viem'
import { yieldToEventLoop, isRecord } from '@svc/runtime'
import { postJsonRpc, type RpcAnswer, type RpcCall } from './post-json-rpc.ts'

/**
 * One endpoint of a chain. Requests of the same turn of the event loop travel as one JSON-RPC batch, whoever asks. A batch that the
 * endpoint will not take as a whole is sent again in halves, and no longer one for half an hour, after which twice the length is tried; a batch
 * whose answers are too long together is sent again call by call alone. Logs, whose answers are long and slow, and transactions never travel in a batch: neither can
 * fail the reads of others. Logs of the same blocks that one filter finds travel as one request, and each alone where that is refused.
 * Nothing else is ever sent twice.
 *
 * Rejects with `EndpointError` when there was no answer, and with viem's `RpcRequestError` for what the endpoint answers as an
 * error, which viem's client makes its own classes of. Errors name the origin of the URL only, because paths and queries hold keys.
 */
export function jsonRpcEndpoint(options: EndpointOptions): RpcRequest {
  const place = urlCredentials(options.url)
  const batches = createBatchLimit(options.now)
  let queue: QueuedCall[] = []
  let logs: (QueuedCall & { readonly signal: AbortSignal | undefined })[] = []
  let nextId = 1

  function flush(): void {
    const waiting = queue
    queue = []
    settleInBatches(waiting)
  }

  function settleInBatches(calls: readonly QueuedCall[]): void {
    const size = batches.size(calls.length)
    for (let start = 0; start < calls.length; start += size) void settle(calls.slice(start, start + size))
  }

  async function settle(queued: readonly QueuedCall[], signal?: AbortSignal): Promise<void> {
    const slow = queued.some(({ call }) => isSlow(call.method))
    const timeoutMs = slow ? options.slowTimeoutMs : options.timeoutMs
    // Of what is read part by part: a receipt, which may be long.
    const bodyTimeoutMs = options.slowTimeoutMs * 5
    const exchange = { ...options, ...place, timeoutMs, bodyTimeoutMs, signal }
    try {
      const answers = await postJsonRpc(
        exchange,
        queued.map(({ call }) => call),
      )
      if (answers === 'batch refused') {
        batches.refuse(queued.length)
        settleInBatches(queued)
        return
      }
      if (answers === 'batch too long') {
        for (const entry of queued) void settle([entry])
        return
      }
      batches.take(queued.length)
      for (const { call, resolve } of queued) resolve(answers.get(call.id))
    } catch (error) {
      for (const { reject } of queued) reject(error)
    }
  }

  function flushLogs(): void {
    const waiting = logs.filter(({ signal }) => signal?.aborted !== true)
    for (const { signal, reject } of logs) if (signal?.aborted === true) reject(signal.reason)
    logs = []
    for (const { places, filter } of mergeFilters(waiting.map(({ call }) => paramOf(call)))) {
      const group = places.flatMap((place) => waiting[place] ?? [])
      const [first] = group
      if (first === undefined) continue
      if (group.length === 1) void settle([first], first.signal)
      else void settleMerged(group, { ...first.call, id: nextId++, params: [filter] })
    }
  }

  async function settleMerged(group: typeof logs, call: RpcCall): Promise<void> {
    const asked = new Promise<RpcAnswer | undefined>((resolve, reject) => void settle([{ call, resolve, reject }]))
    const answer = await asked.catch(() => undefined)
    const filters = group.map((one) => paramOf(one.call))
    for (const [index, one] of group.entries()) {
      // What is too much for one request may be little for each.
      if (answer === undefined || answer.error != null) void settle([one], one.signal)
      else one.resolve({ ...answer, id: one.call.id, result: logsOf(answer.result, filters[index], filters) })
    }
  }

  function send(call: RpcCall, signal?: AbortSignal): Promise<RpcAnswer | undefined> {
    return new Promise((resolve, reject) => {
      const queued = { call, resolve, reject }
      if (call.method === 'eth_getLogs') {
        if (logs.length === 0) void yieldToEventLoop().then(flushLogs)
        logs.push({ ...queued, signal })
        return
      }
      if (isTransaction(call.method)) {
        void settle([queued], signal)
        return
      }
      // After those whose turn comes first, who may ask as well.
      if (queue.length === 0) void yieldToEventLoop().then(flush)
      queue.push(queued)
    })
  }

  return async ({ method, params }, { signal } = {}) => {
    signal?.throwIfAborted()
    const call = { jsonrpc: '2.0', id: nextId++, method, params: params ?? [] } as const
    const answer = await send(call, signal).catch((error: unknown) => {
      // Whoever ended it is no fault of the endpoint.
      signal?.throwIfAborted()
      throw error
    })
    if (answer?.error != null) {
      throw new RpcRequestError({ body: { method }, error: answer.error, url: new URL(place.url).origin })
    }
    return answer?.result
  }
}

/** An EIP-1193 request function. */
export type RpcRequest = (
  args: { readonly method: string; readonly params?: unknown },
  options?: RequestEnd,
) => Promise<unknown>

/** A request that travels alone ends with the signal; of others the answer is dropped. */
type RequestEnd = { readonly signal?: AbortSignal | undefined }

export type EndpointOptions = {
  /** A user and password in it travel in a header. */
  readonly url: string
  readonly fetch: typeof fetch
  /** Longest wait for a whole answer, body included. */
  readonly timeoutMs: number
  /** The same for methods that make a node work: logs, simulations, traces, sending. */
  readonly slowTimeoutMs: number
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Whether a method hands a transaction to the network, which the journal alone may repeat. */
export function isTransaction(method: string): boolean {
  return method.startsWith('eth_send')
}

type QueuedCall = {
  readonly call: RpcCall
  readonly resolve: (answer: RpcAnswer | undefined) => void
  readonly reject: (error: unknown) => void
}

/** How many calls an endpoint takes at once, as far as it is known: 50 until it refuses so many. */
function createBatchLimit(now: () => number) {
  let most = mostCalls
  let refusedAtMs = 0
  return {
    /** For so many calls; asks for twice as many as before when the last refusal is half an hour old. */
    size(calls: number): number {
      if (calls > most && most < mostCalls && now() - refusedAtMs >= refusedMs) return Math.min(mostCalls, most * 2)
      return most
    },
    take(calls: number): void {
      if (calls <= most) return
      most = Math.min(mostCalls, calls)
      refusedAtMs = now()
    },
    refuse(calls: number): void {
      if (calls <= most) most = Math.max(1, Math.floor(calls / 2))
      refusedAtMs = now()
    },
  }
}

const mostCalls = 50
/** Milliseconds: what an endpoint takes changes with its plan, not with the hour. */
const refusedMs = 30 * 60_000

function paramOf({ params }: RpcCall): unknown {
  return Array.isArray(params) ? params[0] : undefined
}

function isSlow(method: string): boolean {
  return /^(eth_getLogs|eth_simulateV1|eth_send|debug_|trace_)/.test(method)
}

/**
 * Filters of `eth_getLogs` that one filter can stand for: the same blocks, and either topics of the event alone, or one contract. What it
 * finds is at most what the filters find together and is handed out again by `logsOf`. Of filters that do not fit each is a group alone.
 *
 * @param filters each the only parameter of a request, as it is sent
 * @returns groups of places in `filters`, each with the filter to send
 */
function mergeFilters(filters: readonly unknown[]): readonly MergedFilter[] {
  const groups = new Map<string, { places: number[]; filters: LogFilter[] }>()
  for (const [place, filter] of filters.entries()) {
    const read = readFilter(filter)
    const name = read === null ? `alone ${place}` : nameOf(read)
    const group = groups.get(name) ?? { places: [], filters: [] }
    group.places.push(place)
    if (read !== null) group.filters.push(read)
    groups.set(name, group)
  }
  return [...groups.values()].flatMap(({ places, filters: alike }) =>
    alike.length < 2
      ? places.map((place) => ({ places: [place], filter: filters[place] }))
      : chunksOf(places, alike).map((chunk) => ({ places: chunk.places, filter: unionOf(chunk.filters) })),
  )
}

/**
 * What of the answer to a merged filter one of its filters would have found. A log that no filter asked for stays with each, as whoever reads
 * it refuses it. An answer that is no list is handed on as it is.
 */
export function logsOf(answer: unknown, filter: unknown, others: readonly unknown[]): unknown {
  if (!Array.isArray(answer)) return answer
  const logs: readonly unknown[] = answer
  const [own, all] = [readFilter(filter), others.map(readFilter)]
  return logs.filter((log) => fits(log, own) || !all.some((other) => fits(log, other)))
}

type MergedFilter = { readonly places: readonly number[]; readonly filter: unknown }

type LogFilter = {
  readonly fromBlock: string
  readonly toBlock: string
  readonly address: string
  /** The first of the event, or several; then at most one of what it is about. */
  readonly topics: readonly (readonly string[])[]
}

/** Pools of one answer; more would make a filter longer than some endpoints take. */
const mostMerged = 20

function readFilter(filter: unknown): LogFilter | null {
  if (!isRecord(filter)) return null
  const { address, topics, fromBlock, toBlock } = filter
  const isPlain = typeof address === 'string' && typeof fromBlock === 'string' && typeof toBlock === 'string'
  if (!isPlain || !Array.isArray(topics) || topics.length === 0 || topics.length > 2) return null
  const lists = topics.map((topic: unknown) => (Array.isArray(topic) ? (topic as readonly unknown[]) : [topic]))
  if (!lists.every((list): list is string[] => list.length > 0 && list.every((one) => typeof one === 'string')))
    return null
  return { address: address.toLowerCase(), fromBlock, toBlock, topics: lists }
}

function nameOf({ fromBlock, toBlock, address, topics }: LogFilter): string {
  const [events, about] = topics
  return [fromBlock, toBlock, ...(about === undefined ? [] : [address, ...(events ?? [])])].join()
}

function chunksOf(places: readonly number[], filters: readonly LogFilter[]) {
  return Array.from({ length: Math.ceil(places.length / mostMerged) }, (_, index) => {
    const [start, end] = [index * mostMerged, (index + 1) * mostMerged]
    return { places: places.slice(start, end), filters: filters.slice(start, end) }
  })
}

function unionOf(filters: readonly LogFilter[]) {
  const [{ fromBlock, toBlock, topics }] = filters as readonly [LogFilter, ...LogFilter[]]
  const distinct = (values: readonly string[]) => [...new Set(values)]
  return {
    fromBlock,
    toBlock,
    address: distinct(filters.map(({ address }) => address)),
    topics: topics.map((_, index) => distinct(filters.flatMap((filter) => filter.topics[index] ?? []))),
  }
}

function fits(log: unknown, filter: LogFilter | null): boolean {
  if (filter === null || !isRecord(log)) return false
  const { address, topics } = log
  if (typeof address !== 'string' || address.toLowerCase() !== filter.address || !Array.isArray(topics)) return false
  const own: readonly unknown[] = topics
  return filter.topics.every((list, index) => list.some((one) => one === own[index]))
}
