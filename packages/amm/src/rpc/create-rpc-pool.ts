import type { Chain } from '@svc/wallet/core'
import { createPublicClient, defineChain, type PublicClient } from 'viem'
import type { RpcPool } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { createRecentProbe } from './create-recent-probe.ts'
import { EndpointError } from './endpoint-error.ts'
import { createEndpointRing, type EndpointRing } from './endpoint-ring.ts'
import { jsonRpcEndpoint } from './json-rpc-endpoint.ts'
import { quantity } from './quantity.ts'
import { readHead, type Head } from './read-head.ts'
import { ringTransport } from './ring-transport.ts'
import { withToolErrors } from './with-tool-errors.ts'

/** Clients for the chains of this server, one per chain, made when first asked for. */
export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { now, fetch = globalThis.fetch, timeoutMs = 4_000, slowTimeoutMs = 12_000, probePatienceMs = 1_400 } = options
  const connections = new Map<number, Connection>()

  function connect(chain: Chain): Connection {
    const known = connections.get(chain.id)
    if (known !== undefined) return known
    const endpoints = options.urls(chain).map((url) => jsonRpcEndpoint({ url, fetch, timeoutMs, slowTimeoutMs }))
    const ring = createEndpointRing(chain.id, endpoints, now, options.retryPauseMs)
    const connection: Connection = {
      ring,
      client: createClient(chain, (method, act, raw) => ring.ask(method, act, raw)),
      past: createClient(chain, (method, act) => ring.askPast(method, act)),
      head: null,
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

  const freshHead = (chain: Chain, ring: EndpointRing) =>
    ring.ask('eth_getBlockByNumber', async (request) => {
      const head = await readHead(chain, request)
      if (isStale(chain, ageSeconds(head))) throw new EndpointError('stale', `head is ${ageSeconds(head)} s old`)
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
    past: (chain) => connect(chain).past,
    head: (chain) => sharedHead(chain),
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
  readonly past: PublicClient
  readonly probe: () => ReturnType<RpcPool['probe']>
  head: Promise<Head> | null
}

function isStale(chain: Chain, ageSeconds: number): boolean {
  return chain.maxHeadAgeSeconds !== null && ageSeconds > chain.maxHeadAgeSeconds
}

/** Off-chain lookups are off: a contract must not make the server fetch a URL of its choice. */
function createClient(chain: Chain, ask: EndpointRing['ask']): PublicClient {
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
