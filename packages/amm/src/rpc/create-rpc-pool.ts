import type { RpcPool } from '../ports.ts'
import type { Chain } from '@svc/wallet/core'
import { isHash, type PublicClient, RpcRequestError } from 'viem'
import * as z from 'zod'
import { answerWithin } from '../create-shared-reads.ts'
import { createAnswersUnderway } from './answers-underway.ts'
import { quantity, type RingView } from './endpoint-order.ts'
import { createEndpointRing, type EndpointRing } from './endpoint-ring.ts'
import { isTransaction, jsonRpcEndpoint, type RpcRequest } from './json-rpc-endpoint.ts'
import { EndpointError, type EndpointFailure } from './post-json-rpc.ts'
import { readTime } from './query.ts'
import { createRingClient } from './ring-client.ts'
import { ToolError } from '../tool-error.ts'
import { isRecord } from '@svc/runtime'

/** Clients for the chains of this server, one per chain, made when first asked for. */
export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { now, fetch = globalThis.fetch, timeoutMs = 4_000, slowTimeoutMs = 12_000, probePatienceMs = 1_400 } = options
  const connections = new Map<number, Connection>()
  const answers = createAnswersUnderway<View>(
    (chain, from) => (from === null ? sharedHead(chain) : freshHead(chain, from)),
    now,
  )

  function connect(chain: Chain): Connection {
    const known = connections.get(chain.id)
    if (known !== undefined) return known
    const open = (urls: readonly string[], isPrivate: boolean) =>
      urls.map((url, place) => {
        const endpoint = jsonRpcEndpoint({ url, fetch, timeoutMs, slowTimeoutMs, now })
        return observedRequest(endpoint, { chainId: chain.id, place, isPrivate }, options.onAnswer)
      })
    const endpoints = open(options.urls(chain), false)
    const ring = createEndpointRing(chain.id, endpoints, now, options.retryPauseMs)
    const hidden = open(options.privateUrls?.(chain) ?? [], true)
    const apart = createEndpointRing(chain.id, hidden, now, options.retryPauseMs)
    const connection: Connection = {
      ring,
      privately:
        hidden.length === 0 ? null : createRingClient(chain, (method, act, { raw }) => apart.ask(method, act, { raw })),
      client: createRingClient(chain, (method, act, { raw }) =>
        ring.ask(method, act, { raw, view: viewFor(chain, method) }),
      ),
      past: createRingClient(chain, async (method, act, { block }) => {
        const view = await Promise.resolve(viewFor(chain, method)).catch(() => null)
        return ring.askPast(method, act, block, view)
      }),
      each: endpoints.map((endpoint) => {
        const alone = createEndpointRing(chain.id, [endpoint], now, options.retryPauseMs)
        return createRingClient(chain, (method, act, { raw }) => alone.ask(method, act, { raw }))
      }),
      head: null,
      lastHead: null,
      probe: createRecentProbe(() => probe(chain, ring), { now, patienceMs: probePatienceMs }),
    }
    connections.set(chain.id, connection)
    return connection
  }

  /** A transaction goes where it would go without an answer underway. */
  const viewFor = (chain: Chain, method: string) => (isTransaction(method) ? null : answers.view(chain))

  /** Whoever asks in the same turn of the event loop would ask in the same batch, so one read answers them all. */
  function sharedHead(chain: Chain): Promise<View> {
    const connection = connect(chain)
    if (connection.head === null) {
      connection.head = freshHead(chain, null)
      setImmediate(() => (connection.head = null))
    }
    return connection.head
  }

  const freshHead = (chain: Chain, from: View | null): Promise<View> =>
    connect(chain).ring.askHead(async (request) => {
      const head = await readHead(chain, request)
      if (isStale(chain, ageSeconds(head))) throw new EndpointError('stale', `head is ${ageSeconds(head)} s old`)
      connect(chain).lastHead = { head, readAtMs: now() }
      return head
    }, from)

  const ageSeconds = (head: Head) => Math.max(0, Math.floor(now() / 1000) - Number(head.timestamp))

  async function probe(chain: Chain, ring: EndpointRing): Promise<ProbeReport> {
    const startedAt = now()
    let seen: Head | null = null
    try {
      const head = await ring.ask('eth_call', async (request) => {
        const calling = requireCalls(chain, request)
        const [read] = await Promise.all([readHead(chain, request), calling.catch(() => {})])
        seen = read
        await calling
        return read
      })
      const stale = isStale(chain, ageSeconds(head))
      return {
        healthy: !stale,
        headAgeSeconds: ageSeconds(head),
        latencyMs: now() - startedAt,
        problem: stale ? 'The endpoint of the chain lags behind.' : null,
        at: now(),
      }
    } catch (error) {
      const headAgeSeconds = seen === null ? null : ageSeconds(seen)
      const problem =
        headAgeSeconds !== null
          ? noCalls
          : error instanceof ToolError
            ? error.message
            : 'The endpoint of the chain could not be read.'
      return { healthy: false, headAgeSeconds, latencyMs: null, problem, at: now() }
    }
  }

  return {
    client: (chain) => connect(chain).client,
    privately: (chain) => connect(chain).privately,
    past: (chain) => connect(chain).past,
    each: (chain) => connect(chain).each,
    head: async (chain) => (await answers.head(chain)).head,
    atOneBlock: (work) => answers.run(work),
    seenHead: (chain) => answers.seen(chain)?.head ?? null,
    nameOfView: (chain) => answers.nameOfView(chain),
    nextEndpoint: (chain) => connect(chain).ring.next(answers.seen(chain)),
    lastHead: (chain) => {
      const { lastHead } = connect(chain)
      return lastHead !== null && now() - lastHead.readAtMs < lastHeadMs ? lastHead.head : null
    },
    probe: (chain) => connect(chain).probe(),
    transactionCounts: (chain, address) =>
      connect(chain).ring.askEach(countMethod, async (request) => {
        const count = quantity.safeParse(await request({ method: countMethod, params: [address, 'latest'] }))
        if (!count.success) throw new EndpointError('broken', 'the count of transactions cannot be read', count.error)
        return Number(count.data)
      }),
  }
}

const countMethod = 'eth_getTransactionCount'

export type RpcPoolOptions = {
  /** The endpoints of a chain in the order to try them; they may hold keys and never leave the pool. */
  readonly urls: (chain: Chain) => readonly string[]
  /** Those that keep transactions from the public pool; without any, everything goes to the others. */
  readonly privateUrls?: (chain: Chain) => readonly string[]
  /** Unix milliseconds. */
  readonly now: () => number
  readonly fetch?: typeof globalThis.fetch
  /** Longest wait for one answer of one endpoint; four seconds when absent. */
  readonly timeoutMs?: number
  /** The same for logs, simulations and sending; twelve seconds when absent. */
  readonly slowTimeoutMs?: number
  /** Between the two rounds of a read; a quarter of a second when absent. */
  readonly retryPauseMs?: number
  /** Longest wait of a probe; 1.4 seconds when absent. */
  readonly probePatienceMs?: number
  /** Hears of each answer of each endpoint; nobody does unless given. */
  readonly onAnswer?: RpcListener | undefined
}

type Connection = {
  readonly ring: EndpointRing
  readonly client: PublicClient
  readonly privately: PublicClient | null
  readonly past: PublicClient
  readonly each: readonly PublicClient[]
  readonly probe: () => ReturnType<RpcPool['probe']>
  head: Promise<View> | null
  lastHead: { readonly head: Head; readonly readAtMs: number } | null
}

/** Milliseconds: about as long as planning takes. */
const lastHeadMs = 1_000

function isStale(chain: Chain, ageSeconds: number): boolean {
  return chain.maxHeadAgeSeconds !== null && ageSeconds > chain.maxHeadAgeSeconds
}

type Head = z.output<typeof headSchema>
type View = RingView<Head>

/**
 * The newest block of one endpoint and, in the same batch, its chain id.
 *
 * @throws EndpointError `other-chain`, or `broken` when the answer is no block.
 */
async function readHead(chain: Chain, request: RpcRequest): Promise<Head> {
  const [chainId, block] = await Promise.all([
    request({ method: 'eth_chainId' }),
    request({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
  ])
  const answer = answerSchema.safeParse({ chainId, block })
  if (!answer.success) throw new EndpointError('broken', 'the newest block cannot be read', answer.error)
  if (answer.data.chainId !== BigInt(chain.id)) {
    throw new EndpointError('other-chain', `answered chain id ${answer.data.chainId}`)
  }
  return answer.data.block
}

/**
 * That an endpoint calls contracts, Multicall3 before all, through which most is read.
 *
 * @throws what the endpoint answered, or EndpointError `refused` where no contract did.
 */
async function requireCalls({ multicall3 }: Chain, request: RpcRequest): Promise<void> {
  const { to, data } = readTime(multicall3, [])
  const answer = await request({ method: 'eth_call', params: [{ to, data }, 'latest'] })
  if (typeof answer !== 'string' || !isHash(answer)) throw new EndpointError('refused', 'Multicall3 did not answer')
}

const noCalls =
  'The endpoint of the chain tells its blocks and calls no contracts (eth_call of Multicall3), so nothing else can be read.'

const headSchema = z.object({
  number: quantity,
  timestamp: quantity,
  hash: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/i)]),
  baseFeePerGas: quantity.optional().transform((fee) => fee ?? 0n),
})
const answerSchema = z.object({ chainId: quantity, block: headSchema })

/**
 * Probes a chain at most every half minute and answers within `patienceMs`: an endpoint that takes longer counts as not
 * answering until its answer is there. `now` in Unix milliseconds.
 */
function createRecentProbe(
  probe: () => Promise<ProbeReport>,
  { now, patienceMs }: { readonly now: () => number; readonly patienceMs: number },
): () => Promise<ProbeReport> {
  let kept: { readonly at: number; report: Promise<ProbeReport> } | null = null
  return () => {
    if (kept !== null && now() - kept.at < keepMs) return kept.report
    const whole = probe()
    const at = now()
    const fresh = { at, report: answerWithin(whole, patienceMs, { ...tooLate, at }) }
    void whole.then(() => (fresh.report = whole))
    kept = fresh
    return fresh.report
  }
}

type ProbeReport = Awaited<ReturnType<RpcPool['probe']>>

const keepMs = 30_000
const tooLate: Omit<ProbeReport, 'at'> = Object.freeze({
  healthy: false,
  headAgeSeconds: null,
  latencyMs: null,
  problem: 'The endpoint of the chain did not answer in time.',
})

/** The same endpoint, of whose answers somebody hears; the endpoint itself where nobody does. */
export function observedRequest(
  request: RpcRequest,
  { chainId, place, isPrivate }: Pick<RpcAnswered, 'chainId' | 'place' | 'isPrivate'>,
  heard: RpcListener | undefined,
): RpcRequest {
  if (heard === undefined) return request
  return async (args, end) => {
    const startedAt = performance.now()
    const facts = { chainId, place, isPrivate, method: args.method }
    const result: unknown = await request(args, end).catch((error: unknown) => {
      const outcome = end?.signal?.aborted === true ? 'left' : outcomeOf(error)
      heard({ ...facts, outcome, ms: performance.now() - startedAt, headAtSeconds: null })
      throw error
    })
    heard({ ...facts, outcome: 'answered', ms: performance.now() - startedAt, headAtSeconds: headTime(args, result) })
    return result
  }
}

/** Hears of each answer of an endpoint, or that there was none. Must not throw. */
export type RpcListener = (answered: RpcAnswered) => void

export type RpcAnswered = {
  readonly chainId: number
  /** Of the endpoint in the operator's order, from 0. */
  readonly place: number
  /** Whether it is that to which trades go past the public pool. */
  readonly isPrivate: boolean
  readonly method: string
  /** `error` is an answer that says so (a revert among them), `left` that nobody waited for it any more. */
  readonly outcome: 'answered' | 'error' | 'left' | EndpointFailure
  readonly ms: number
  /** Time of the newest block, where the answer is that block. */
  readonly headAtSeconds: number | null
}

function outcomeOf(error: unknown): RpcAnswered['outcome'] {
  if (error instanceof EndpointError) return error.reason
  return error instanceof RpcRequestError ? 'error' : 'unreachable'
}

function headTime({ method, params }: Parameters<RpcRequest>[0], result: unknown): number | null {
  if (method !== 'eth_getBlockByNumber' || !Array.isArray(params) || params[0] !== 'latest') return null
  const timestamp = isRecord(result) ? result['timestamp'] : undefined
  return typeof timestamp === 'string' && /^0x[0-9a-f]{1,12}$/i.test(timestamp) ? Number(timestamp) : null
}
