import { createBarMemory, createPoolHistory } from '@svc/amm/history'
import { createPriceMemory, type SightingStore } from '@svc/amm/prices'
import { createChainReach } from '@svc/amm/reach'
import { createRewards } from '@svc/amm/rewards'
import { createSubgraphs } from '@svc/amm/subgraph'
import { openOrderClient, openReads, openTrading, type PolicySource } from '@svc/engine'
import type { Log } from '@svc/runtime'
import { randomInt } from 'node:crypto'
import { chainAccess, orderApi, tradingApi } from './config.ts'
import type { Config, WalletConfig } from './config/config-shape.ts'
import { createIdentities } from './identity/create-identities.ts'
import type { Observer } from './observer.ts'
import type { SharedReads } from './open-shared-reads.ts'
import type { Ports } from './ports.ts'

/** What tools read through, as the settings say. A server that only reads opens what others share with it; it is closed with `closers`. */
export async function openPorts(
  config: Config,
  { policies, log, observer, closers }: PortsPlace,
): Promise<OpenedPorts> {
  const policy = () => policies.latest()
  const seen: { store: SightingStore | null } = { store: null }
  const onError = (error: unknown) => log.warn('prices.not-remembered', { error })
  const memory = createPriceMemory({ store: () => seen.store, now: Date.now, onError })
  const trading = await openTrading({ tradingApi: tradingApi(config), policy })
  const orderClient = await openOrderClient(orderApi(config), trading)
  const shared = signs(config) ? null : await openShared(config, log)
  closers.push(() => shared?.close())
  const reads = openReads(chainAccess(config), {
    memory,
    policy,
    trading,
    orderClient,
    sharedTokens: shared?.tokens ?? null,
    onAnswer: observer.rpc,
  })
  const { rpc } = reads
  const identities = createIdentities({ rpc, chains: config.chains, upstream: config.upstream })
  const rewards = createRewards({ rpc, chains: config.chains, url: config.upstream.rewardsUrl, trading })
  return {
    ports: { ...reads, identities, rewards },
    shared,
    rememberIn: (store) => void (seen.store = store),
  }
}

/** What else is read of pools, beside the bars that a store keeps; in this process's memory where there is none. */
export function openHistory(
  ports: OpenedPorts['ports'],
  { config, bars = createBarMemory() }: { readonly config: Config; readonly bars?: SharedReads['bars'] | undefined },
): Pick<Ports, 'history' | 'reach'> {
  const subgraphs = createSubgraphs({ apiKey: config.upstream.subgraphApiKey })
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

/** The store is loaded where there is a database only. */
async function openShared(config: Config, log: Log): Promise<SharedReads | null> {
  if (config.databaseUrl === null) return null
  const { openSharedReads } = await import('./open-shared-reads.ts')
  return openSharedReads(config, log)
}

export type OpenedPorts = {
  readonly ports: Omit<Ports, 'agentAddress' | 'history' | 'reach' | 'workers'>
  /** `null` where nothing is shared. */
  readonly shared: SharedReads | null
  /** Keeps prices that were seen there from now on. */
  readonly rememberIn: (store: SightingStore | null) => void
}

/** What was opened, to be closed in the other order. */
export type Closers = (() => unknown)[]

type PortsPlace = {
  readonly policies: PolicySource
  readonly log: Log
  readonly observer: Observer
  readonly closers: Closers
}
