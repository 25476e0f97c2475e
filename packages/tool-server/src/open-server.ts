import { chainAccess, orderApi, tradingApi } from './config.ts'
import { randomBytes, randomInt } from 'node:crypto'
import { join } from 'node:path'
import { createBarMemory, createPoolHistory } from '@svc/amm/history'
import { createIdentities } from './identity/create-identities.ts'
import { createPriceMemory, type SightingStore } from '@svc/amm/prices'
import { createChainReach } from '@svc/amm/reach'
import { createRewards } from '@svc/amm/rewards'
import { createSubgraphs } from '@svc/amm/subgraph'
import { createWorkerPool } from './workers/create-worker-pool.ts'
import { workerProgram } from './workers/worker-program.ts'
import { type Config, ConfigError, type WalletConfig } from './config/config-shape.ts'
import { createAttempts } from './attempts.ts'
import { createLender, type Lend } from './rate-limits/leases.ts'
import type { SharedReads } from './open-shared-reads.ts'
import { createRedactor, type Log } from '@svc/runtime'
import { openLog, secretsOf } from './config/secrets.ts'
import {
  openOrderClient,
  openPolicySource,
  openReads,
  openTrading,
  type MostLost,
  mostLost,
  policyFaults,
  type PolicySource,
  reportPolicy,
  type Policy,
} from '@svc/engine'
import type { Pause } from '@svc/engine/switches'
import { type Adapters, createServer, type ToolServer } from './server.ts'
import type { Tool } from './tool.ts'
import { ToolError } from '@svc/amm'
import { dataTools, namesBeyondData } from './tools/data-tools.ts'
import { createTraffic } from './traffic.ts'
import { openWatchers } from './open-watchers.ts'
import type { Address } from 'viem'

/**
 * The server as the configuration describes it, over real endpoints. With a wallet it becomes the one server of its data
 * directory and settles what an earlier process left open; in the `data` profile it loads neither store nor signer.
 * Throws `ConfigError`, `ToolError` or `StoreError` naming the fix.
 */
export async function openServer(config: Config, options: ServerOptions = {}): Promise<OpenedServer> {
  const redactor = createRedactor(secretsOf(config))
  const log = openLog(config, undefined, redactor)
  const offered = options.tools === undefined ? await toolsOf(config.profile) : { tools: options.tools }
  const policies = await openPolicy(config, log)
  const policy = policies.started
  const seen: { store: SightingStore | null } = { store: null }
  const onError = (error: unknown) => log.warn('prices.not-remembered', { error })
  const memory = createPriceMemory({ store: () => seen.store, now: Date.now, onError })
  const watched = await openWatchers(config, { tools: offered.tools, policies, log })
  const { observer } = watched
  const trading = await openTrading({ tradingApi: tradingApi(config), policy: () => policies.latest() })
  const orderClient = await openOrderClient(orderApi(config), trading)
  const shared = signs(config) ? null : await openShared(config, log)
  const reads = openReads(chainAccess(config), {
    memory,
    policy: () => policies.latest(),
    trading,
    orderClient,
    sharedTokens: shared?.tokens ?? null,
    onAnswer: observer.rpc,
  })
  const { rpc } = reads
  const identities = createIdentities({ rpc, chains: config.chains, upstream: config.upstream })
  const rewards = createRewards({ rpc, chains: config.chains, url: config.upstream.rewardsUrl, trading })
  const ports = { ...reads, identities, rewards }
  const write = await openWrite()
  seen.store = write?.sightings ?? null
  const signIn = await openTokens()
  const subgraphs = createSubgraphs({ apiKey: config.upstream.subgraphApiKey })
  const bars = write?.bars ?? shared?.bars ?? createBarMemory()
  const checks = { pickInt: (below: number) => randomInt(below) }
  const history = createPoolHistory(ports, { subgraphs, bars, now: Date.now, checks })
  const reach = createChainReach({ rpc, subgraphs }, { now: Date.now })
  const program = workerProgram()
  const traffic = createTraffic()
  const workers = createWorkerPool({ program: () => program, traffic })
  const server = createServer(config, {
    ...offered,
    ...options.adapters,
    traffic,
    observer,
    redactor,
    alerts: watched.alerts,
    ports: { ...ports, history, reach, workers, agentAddress: write?.wallet.address ?? null },
    write,
    provision: await openProvision(),
    signIn,
    policyNow: () => policies.current(),
    ...(ports.rpc.atOneBlock !== undefined && { atOneBlock: ports.rpc.atOneBlock }),
    lend: lendFrom(config.databaseUrl === null ? null : (write ?? shared), log),
    limits: {
      perAddressPerMinute: policy.rateLimits.perIp,
      unauthenticatedPerMinute: policy.rateLimits.unauthenticatedPerIp,
      perPrincipalPerMinute: policy.rateLimits.perToken,
    },
  })
  const policyFile = policies.startedFromFile ? policyPath(config) : null
  const pause = write === null ? null : await pauseOf(config.dataDir)
  const facts = startFacts({ config, wallet: write?.wallet.address ?? null, policyFile, policy, pause })
  watched.begin(write)
  const showFigures = async () => {
    const place = await watched.showFigures()
    if (place === null) return null
    const host = place.family === 'IPv6' ? `[${place.address}]` : place.address
    const metricsUrl = `${config.tls === null ? 'http' : 'https'}://${host}:${place.port}/metrics`
    log.info('metrics.listening', { url: metricsUrl })
    return metricsUrl
  }
  const sayOpened = () => log.info('server.opened', facts)
  return Object.freeze({
    ...server,
    facts,
    async listen() {
      const place = await server.listen()
      const metricsUrl = await showFigures()
      sayOpened()
      return { ...place, metricsUrl }
    },
    async serveStdio(...streams: Parameters<ToolServer['serveStdio']>) {
      await showFigures()
      sayOpened()
      await server.serveStdio(...streams)
    },
    async close() {
      await server.close()
      await watched.close()
      await workers.close()
      await shared?.close()
    },
  })

  async function openWrite() {
    return signs(config) ? openWriteOver(config, config.wallet) : null
  }

  async function openWriteOver(config: Config, wallet: WalletConfig) {
    const { openWritePipeline } = await import('./open-write-pipeline.ts')
    return openWritePipeline({ config, wallet, ports, policy, policies, log, observer })
  }

  async function openProvision() {
    const { provision } = config
    if (provision === null) return null
    const { createProvision } = await import('./provisioning/create-provision.ts')
    const openOver = async (...asked: Parameters<typeof openWriteOver>) => {
      const opened = await openWriteOver(...asked)
      seen.store = opened.sightings
      watched.begin(opened)
      return opened
    }
    return createProvision({ config: { ...config, provision }, openWrite: openOver, randomBytes, redactor })
  }

  async function openTokens() {
    if (config.signIn === null && config.oauth.length === 0 && config.edge === null) return null
    const { openSignInOf } = await import('./auth/sign-in/open-sign-in-of.ts')
    return openSignInOf({ config, clientOf: (chain) => rpc.client(chain), policies, log, write })
  }
}

/** Of a database alone: the file of a data directory is one server's. While it is away, each server holds the limits by itself. */
function lendFrom(place: Pick<SharedReads, 'rateLeases'> | null, log: Log): Lend | null {
  if (place === null) return null
  const onError = (error: unknown) => log.warn('limits.not-shared', { error })
  const attempt = createAttempts({ now: () => performance.now(), onError })
  return createLender((asks) => attempt(() => place.rateLeases.lease(asks)))
}

function signs(config: Config): config is Config & { readonly wallet: WalletConfig } {
  return config.wallet !== null && config.profile !== 'data'
}

/** The store is loaded where there is a database only. */
async function openShared(config: Config, log: Log): Promise<SharedReads | null> {
  if (config.databaseUrl === null) return null
  const { openSharedReads } = await import('./open-shared-reads.ts')
  return openSharedReads(config, log)
}

/** A server that only reads has no code of tools that act. */
async function toolsOf(profile: Config['profile']) {
  if (profile === 'data') return { tools: dataTools, toolsElsewhere: namesBeyondData }
  const { catalogue } = await import('./tools/index.ts')
  return { tools: catalogue }
}

async function pauseOf(dataDir: string): Promise<Pause | null> {
  const { readPause } = await import('@svc/engine/switches')
  return readPause(dataDir)
}

/** Throws `ConfigError` naming every wrong member of the policy file. */
async function openPolicy(config: Config, log: Log): Promise<PolicySource> {
  const file = policyPath(config)
  const source = await openPolicySource(file, config).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error
    const { problems, fix } = policyFaults(error, file)
    const message =
      problems.length === 1 ? `${problems[0]}.` : ['', ...problems, ''].join('\n  ').trimEnd().concat('\n ')
    throw new ConfigError([{ code: 'POLICY_INVALID', setting: file, message, fix }])
  })
  return reportPolicy(source, { file, log })
}

function policyPath({ dataDir }: Config): string {
  return join(dataDir, 'policy.json')
}

export type OpenedServer = Omit<ToolServer, 'listen'> & {
  readonly facts: StartFacts
  /** As `ToolServer` does; `metricsUrl` is where figures are shown, `null` where none are. */
  listen(): Promise<Listening>
}

type Listening = Awaited<ReturnType<ToolServer['listen']>> & { readonly metricsUrl: string | null }

export type ServerOptions = {
  /** What the server offers; its own catalogue unless given. Whatever stands here, a write passes the same pipeline. */
  readonly tools?: readonly Tool[]
  /** What tests put on top of it. */
  readonly adapters?: Pick<Adapters, 'testing' | 'tasks'>
}

/** What a server is at its start, for whoever looks whether it is the one they meant. No secrets. */
export function startFacts({ config, wallet, policyFile, policy, pause }: Started): StartFacts {
  const { perTransaction, perSession, daily } = policy.limitsUsd
  return Object.freeze({
    mode: config.production ? 'production' : 'development',
    wallet: wallet ?? 'none',
    policy: policyFile ?? 'defaults',
    limitsUsd: { perTransaction, perSession, daily, approvalAbove: policy.approvalThresholdUsd },
    mostLostUsd: mostLost(policy),
    allowlist: policy.allowlist.mode,
    pause,
  })
}

export type StartFacts = {
  /** `development` is whatever is not production. */
  readonly mode: 'production' | 'development'
  /** The address that signs, or `none`. */
  readonly wallet: Address | 'none'
  /** The file, or `defaults`. */
  readonly policy: string
  readonly limitsUsd: {
    readonly perTransaction: string
    readonly perSession: string
    readonly daily: string
    /** `null` where nobody is asked. */
    readonly approvalAbove: string | null
  }
  /** What any 24 hours cost at most by what is signed. */
  readonly mostLostUsd: MostLost
  readonly allowlist: Policy['allowlist']['mode']
  /** What stops signing at the start; `null` where nothing does, or nothing is signed anyway. */
  readonly pause: Pause | null
}

type Started = {
  readonly config: Pick<Config, 'production'>
  /** `null` for a server that signs nothing. */
  readonly wallet: Address | null
  /** `null` where the defaults hold. */
  readonly policyFile: string | null
  readonly policy: Policy
  readonly pause: Pause | null
}
