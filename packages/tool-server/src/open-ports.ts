import { createBarMemory, createPoolHistory } from '@svc/amm/history'
import { createPriceMemory, type SightingStore } from '@svc/amm/prices'
import { createChainReach } from '@svc/amm/reach'
import { createRewards } from '@svc/amm/rewards'
import { createSubgraphs } from '@svc/amm/subgraph'
import { openOrderClient, openReads, openTrading, type Policy } from '@svc/engine'
import type { Log } from '@svc/runtime'
import { randomInt } from 'node:crypto'
import { chainAccess, orderApi, tradingApi } from './config.ts'
import type { Config, WalletConfig } from './config/config-shape.ts'
import { createIdentities } from './identity/create-identities.ts'
import type { EndpointProbe } from './reach/guarded-request.ts'
import type { Observer } from './observer.ts'
import type { SharedReads } from './open-state.ts'
import type { Ports } from './ports.ts'

/** What tools read through, as the settings say. */
export async function openPorts(
  config: Config,
  { policy, log, observer, sharedTokens, fetch, isLive }: PortsPlace,
): Promise<OpenedPorts> {
  const seen: { store: SightingStore | null } = { store: null }
  const onError = (error: unknown) => log.warn('prices.not-remembered', { error })
  const memory = createPriceMemory({ store: () => seen.store, now: Date.now, onError })
  const trading = await openTrading({ tradingApi: withFetch(tradingApi(config), fetch), policy })
  const orderClient = await openOrderClient(withFetch(orderApi(config), fetch), trading)
  const reads = openReads(chainAccess(config), {
    memory,
    policy,
    trading,
    orderClient,
    sharedTokens,
    fetch,
    onAnswer: observer?.rpc,
  })
  const { rpc } = reads
  const identities = createIdentities({ rpc, chains: config.chains, upstream: config.upstream, isLive, fetch })
  const rewards = createRewards({
    rpc,
    chains: config.chains,
    url: config.upstream.rewardsUrl,
    trading,
    ...(fetch !== undefined && { fetch }),
  })
  return {
    ports: { ...reads, identities, rewards },
    rememberIn: (store) => void (seen.store = store),
  }
}

/** What else is read of pools, beside the bars that a store keeps; in this process's memory where there is none. */
export function openHistory(
  ports: OpenedPorts['ports'],
  { config, bars = createBarMemory(), fetch }: HistoryPlace,
): Pick<Ports, 'history' | 'reach'> {
  const subgraphs = createSubgraphs({ apiKey: config.upstream.subgraphApiKey, ...(fetch !== undefined && { fetch }) })
  const checks = { pickInt: (below: number) => randomInt(below) }
  return {
    history: createPoolHistory(ports, { subgraphs, bars, now: Date.now, checks }),
    reach: createChainReach({ rpc: ports.rpc, subgraphs }, { now: Date.now }),
  }
}

/** Whether a server of these settings has a wallet. */
export function signs(config: Config): config is Config & { readonly wallet: WalletConfig } {
  return config.wallet !== null && config.profile !== 'data'
}

function withFetch<Place>(place: Place, fetch: PortsPlace['fetch']): Place {
  return fetch === undefined || typeof place !== 'object' || place === null ? place : { ...place, fetch }
}

export type OpenedPorts = {
  readonly ports: Omit<Ports, 'agentAddress' | 'history' | 'reach' | 'workers'>
  /** Keeps prices that were seen there from now on. */
  readonly rememberIn: (store: SightingStore | null) => void
}

/** What was opened, to be closed in the other order. */
export type Closers = (() => unknown)[]

type PortsPlace = {
  /** As it holds now. */
  readonly policy: () => Policy
  readonly log: Pick<Log, 'warn'>
  readonly observer?: Observer | undefined
  /** What other servers know of tokens; `null` where nothing is shared. */
  readonly sharedTokens: SharedReads['tokens'] | null
  /** How all that is asked for is reached; as the platform does unless given. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Asks addresses that strangers wrote on cards. */
  readonly isLive: EndpointProbe
}

type HistoryPlace = Pick<PortsPlace, 'fetch'> & {
  readonly config: Config
  /** In the memory of this process unless given. */
  readonly bars?: SharedReads['bars'] | undefined
}
