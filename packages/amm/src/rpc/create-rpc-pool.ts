import { AsyncLocalStorage } from 'node:async_hooks'
import type { RpcPool } from '../ports.ts'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { EndpointError } from './post-json-rpc.ts'
import { isTransaction, jsonRpcEndpoint, type RpcRequest } from './json-rpc-endpoint.ts'
import {
  BaseError,
  createPublicClient,
  defineChain,
  type EIP1193RequestFn,
  type PublicClient,
  type Transport,
} from 'viem'
import { ToolError } from '../tool-error.ts'
import { createEndpointRing, type EndpointRing, quantity } from './endpoint-ring.ts'
import { requireResult } from './require-result.ts'

/** Clients for the chains of this server, one per chain, made when first asked for. */
export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { now, fetch = globalThis.fetch, timeoutMs = 4_000, slowTimeoutMs = 12_000, probePatienceMs = 1_400 } = options
  const connections = new Map<number, Connection>()
  /** The heads that the answer underway rests on, by chain. */
  const answers = new AsyncLocalStorage<Map<number, { readonly head: Promise<Head>; readonly askedAtMs: number }>>()

  function connect(chain: Chain): Connection {
    const known = connections.get(chain.id)
    if (known !== undefined) return known
    const endpoints = options.urls(chain).map((url) => jsonRpcEndpoint({ url, fetch, timeoutMs, slowTimeoutMs }))
    const ring = createEndpointRing(chain.id, endpoints, now, options.retryPauseMs)
    const hidden =
      options.privateUrls?.(chain).map((url) => jsonRpcEndpoint({ url, fetch, timeoutMs, slowTimeoutMs })) ?? []
    const apart = createEndpointRing(chain.id, hidden, now, options.retryPauseMs)
    const connection: Connection = {
      ring,
      privately:
        hidden.length === 0 ? null : createClient(chain, (method, act, { raw }) => apart.ask(method, act, raw)),
      client: createClient(chain, (method, act, { raw }) => ring.ask(method, act, raw)),
      past: createClient(chain, (method, act, { block }) => ring.askPast(method, act, block)),
      each: endpoints.map((endpoint) => {
        const alone = createEndpointRing(chain.id, [endpoint], now, options.retryPauseMs)
        return createClient(chain, (method, act, { raw }) => alone.ask(method, act, raw))
      }),
      head: null,
      lastHead: null,
      probe: createRecentProbe(() => probe(chain, ring), { now, patienceMs: probePatienceMs }),
    }
    connections.set(chain.id, connection)
    return connection
  }

  /** Whoever asks in the same turn of the event loop would ask in the same batch, so one read answers them all. */
  function sharedHead(chain: Chain): Promise<Head> {
    const connection = connect(chain)
    if (connection.head === null) {
      connection.head = freshHead(chain, connection.ring)
      setImmediate(() => (connection.head = null))
    }
    return connection.head
  }

  function headOfAnswer(chain: Chain): Promise<Head> {
    const heads = answers.getStore()
    const known = heads?.get(chain.id)
    if (known !== undefined && now() - known.askedAtMs < oneBlockMs) return known.head
    const head = sharedHead(chain)
    heads?.set(chain.id, { head, askedAtMs: now() })
    head.catch(() => heads?.delete(chain.id))
    return head
  }

  const freshHead = (chain: Chain, ring: EndpointRing) =>
    ring.ask('eth_getBlockByNumber', async (request) => {
      const head = await readHead(chain, request)
      if (isStale(chain, ageSeconds(head))) throw new EndpointError('stale', `head is ${ageSeconds(head)} s old`)
      connect(chain).lastHead = { head, readAtMs: now() }
      return head
    })

  const ageSeconds = (head: Head) => Math.max(0, Math.floor(now() / 1000) - Number(head.timestamp))

  async function probe(chain: Chain, ring: EndpointRing): ReturnType<RpcPool['probe']> {
    const startedAt = now()
    try {
      const head = await ring.ask('eth_getBlockByNumber', (request) => readHead(chain, request))
      const stale = isStale(chain, ageSeconds(head))
      return {
        healthy: !stale,
        headAgeSeconds: ageSeconds(head),
        latencyMs: now() - startedAt,
        problem: stale ? 'The endpoint of the chain lags behind.' : null,
      }
    } catch (error) {
      const problem = error instanceof ToolError ? error.message : 'The endpoint of the chain could not be read.'
      return { healthy: false, headAgeSeconds: null, latencyMs: null, problem }
    }
  }

  return {
    client: (chain) => connect(chain).client,
    privately: (chain) => connect(chain).privately,
    past: (chain) => connect(chain).past,
    each: (chain) => connect(chain).each,
    head: headOfAnswer,
    atOneBlock: (work) => answers.run(new Map(), work),
    isAtOneBlock: (chain) => answers.getStore()?.has(chain.id) === true,
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
}

type Connection = {
  readonly ring: EndpointRing
  readonly client: PublicClient
  readonly privately: PublicClient | null
  readonly past: PublicClient
  readonly each: readonly PublicClient[]
  readonly probe: () => ReturnType<RpcPool['probe']>
  head: Promise<Head> | null
  lastHead: { readonly head: Head; readonly readAtMs: number } | null
}

/** Milliseconds: about as long as planning takes. */
const lastHeadMs = 1_000

/** Milliseconds: an endpoint without an archive keeps the state of a block about half a minute where blocks are fastest. */
const oneBlockMs = 10_000

function isStale(chain: Chain, ageSeconds: number): boolean {
  return chain.maxHeadAgeSeconds !== null && ageSeconds > chain.maxHeadAgeSeconds
}

/** Off-chain lookups are off: a contract must not make the server fetch a URL of its choice. */
function createClient(chain: Chain, ask: AskRing): PublicClient {
  const client = createPublicClient({
    chain: defineChain({
      id: chain.id,
      name: chain.name,
      nativeCurrency: chain.nativeCurrency,
      rpcUrls: { default: { http: [] } },
      contracts: { multicall3: { address: chain.multicall3 } },
    }),
    transport: ringTransport(ask),
    cacheTime: 0,
    ccipRead: false,
    pollingInterval: Math.min(4_000, Math.max(50, chain.blockTimeSeconds * 500)),
  })
  return withToolErrors(client)
}

/** The same client, whose actions reject with the `ToolError` behind viem's wrappers where there is one. */
function withToolErrors(client: PublicClient): PublicClient {
  return new Proxy(client, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== 'function' || key === 'extend') return member
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args)
        return result instanceof Promise ? result.catch(unwrap) : result
      }
    },
  })
}

function unwrap(error: unknown): never {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ToolError) throw current
  }
  throw error
}

/** A viem transport over a way to ask a ring of endpoints. A `ToolError` travels as the cause of a viem error, for viem wraps what it catches. */
function ringTransport(askRing: AskRing): Transport<'ring'> {
  const ask: RpcRequest = async (args, options) => {
    try {
      return await askRing(args.method, (request) => answerOf(request, args, options), aboutOf(args))
    } catch (error) {
      if (error instanceof ToolError) throw new BaseError('The chain could not be read.', { cause: error })
      throw error
    }
  }
  const request = ask as EIP1193RequestFn
  return () => ({ config: { key: 'ring', name: 'Ring of endpoints', type: 'ring', request, retryCount: 0 }, request })
}

type AskRing = <Result>(method: string, act: (request: RpcRequest) => Promise<Result>, about: About) => Promise<Result>

type About = {
  /** The signed bytes of a transaction: what tells that it is offered again. */
  readonly raw: string | undefined
  /** The number of the block that is asked about; `null` where none is named. */
  readonly block: bigint | null
}

function aboutOf({ method, params }: Parameters<RpcRequest>[0]): About {
  const listed: readonly unknown[] = Array.isArray(params) ? params : []
  const [raw] = isTransaction(method) ? listed : []
  const block = listed.findLast((one) => typeof one === 'string' && /^0x[0-9a-f]{1,16}$/.test(one))
  return {
    raw: typeof raw === 'string' ? raw : undefined,
    block: typeof block === 'string' ? BigInt(block) : null,
  }
}

/** An answer that the method cannot have is the endpoint's fault, as none would be. */
async function answerOf(request: RpcRequest, ...[args, options]: Parameters<RpcRequest>): Promise<unknown> {
  const result = await request(args, options)
  await requireResult(args.method, args.params, result)
  return result
}

type Head = z.output<typeof headSchema>

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
    const fresh = { at: now(), report: within(whole, patienceMs) }
    void whole.then(() => (fresh.report = whole))
    kept = fresh
    return fresh.report
  }
}

type ProbeReport = Awaited<ReturnType<RpcPool['probe']>>

async function within(probe: Promise<ProbeReport>, patienceMs: number): Promise<ProbeReport> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<ProbeReport>((resolve) => {
    timer = setTimeout(() => resolve(tooLate), patienceMs)
  })
  const report = await Promise.race([probe, late])
  clearTimeout(timer)
  return report
}

const keepMs = 30_000
const tooLate: ProbeReport = Object.freeze({
  healthy: false,
  headAgeSeconds: null,
  latencyMs: null,
  problem: 'The endpoint of the chain did not answer in time.',
})
