import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createWorkerPool } from './workers/create-worker-pool.ts'
import { workerProgram } from './workers/worker-program.ts'
import { type Config, ConfigError, type WalletConfig } from './config/config-shape.ts'
import { createAttempts } from './auth/attempts.ts'
import type { SharedReads } from './open-state.ts'
import { createLender, type Lend } from './rate-limits/leases.ts'
import { createEndpointProbe } from './reach/guarded-request.ts'
import { createRedactor, type Log, type Redactor } from '@svc/runtime'
import { openLog, secretsOf } from './config/secrets.ts'
import {
  openPolicySource,
  type MostLost,
  mostLost,
  policyFaults,
  type PolicySource,
  reportPolicy,
  type Policy,
  type RoleFacts,
} from '@svc/engine'
import type { Pause } from '@svc/engine/switches'
import { type Adapters, createServer, type ToolServer } from './server.ts'
import type { Tool } from './tool.ts'
import { ToolError } from '@svc/amm'
import { dataTools, namesBeyondData } from './tools/data-tools.ts'
import { createTraffic } from './traffic.ts'
import { ratesOf } from './config/limits.ts'
import { requireRestored } from './config/env-file.ts'
import { openWatchers, type Watchers } from './open-watchers.ts'
import { type Closers, type OpenedPorts, openHistory, openPorts, signs } from './open-ports.ts'
import type { Workers } from './ports.ts'
import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'

/**
 * The server as the configuration describes it, over real endpoints. With a wallet it becomes the one server of its data
 * directory and settles what an earlier process left open; in the `data` profile it loads neither store nor signer.
 * Throws `ConfigError`, `ToolError` or `StoreError` naming the fix.
 */
export async function openServer(config: Config, options: ServerOptions = {}): Promise<OpenedServer> {
  requireRestored(config.dataDir)
  const closers: Closers = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    return servedWith(await openParts(config, options, closers), close)
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens one after the other; what was opened before one that throws stands in `closers`. */
async function openParts(config: Config, options: ServerOptions, closers: Closers) {
  const redactor = createRedactor(secretsOf(config))
  const log = openLog(config, undefined, redactor)
  const offered = options.tools === undefined ? await toolsOf(config.profile) : { tools: options.tools }
  const policies = await openPolicy(config, log)
  const watched = await openWatchers(config, { tools: offered.tools, policies, log })
  closers.push(() => watched.close())
  const shared = await openShared(config, log)
  closers.push(() => shared?.close())
  const market = await openPorts(config, {
    policy: () => policies.latest(),
    log,
    observer: watched.observer,
    sharedTokens: shared?.tokens ?? null,
    isLive: createEndpointProbe({ now: () => process.uptime() * 1_000 }),
  })
  const place = { config, log, redactor, policies, watched, market, shared }
  const [traffic, program] = [createTraffic(), workerProgram()]
  const workers = createWorkerPool({ program: () => program, traffic })
  closers.push(() => workers.close())
  const heldByServer = closers.length
  const { write, signIn } = await openSigning(place, closers)
  const operator = write === null ? null : await openOperator(place, write)
  const server = createServer(config, {
    ...offered,
    ...options.adapters,
    ...adaptersOf(place, { write, workers }),
    traffic,
    write,
    signIn,
    operator,
    provision: await openProvision(place),
  })
  closers.splice(heldByServer)
  closers.push(() => server.close())
  const policy = policies.started
  const policyFile = policies.startedFromFile ? policyPath(config) : null
  const pause = (await write?.pause()) ?? null
  const role = write?.sharedKeys ? write.role() : null
  const facts = startFacts({ config, wallet: write?.wallet.address ?? null, policyFile, policy, pause, role })
  watched.begin(write)
  return { config, log, watched, server, facts }
}

function servedWith({ config, log, watched, server, facts }: Parts, close: () => Promise<void>): OpenedServer {
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
    close,
  })
}

type Parts = Awaited<ReturnType<typeof openParts>>

/** The pipeline of a wallet, and who takes tokens: the server closes both, once there is one. */
async function openSigning(place: Place, closers: Closers) {
  const { config, log, policies, market } = place
  const write = signs(config) ? await openWriteOver(place, config, config.wallet) : null
  closers.push(() => write?.close())
  market.rememberIn(write?.sightings ?? null)
  if (config.signIn === null && config.oauth.length === 0 && config.edge === null) return { write, signIn: null }
  const { openSignInOf } = await import('./auth/sign-in/open-sign-in.ts')
  const clientOf = (chain: Chain) => market.ports.rpc.client(chain)
  const signIn = await openSignInOf({ config, clientOf, policies, log, write })
  closers.push(() => signIn.close())
  return { write, signIn }
}

async function openWriteOver({ market, policies, log, watched }: Place, config: Config, wallet: WalletConfig) {
  const { openWritePipeline } = await import('./open-write-pipeline.ts')
  const { ports } = market
  return openWritePipeline({
    config,
    wallet,
    ports,
    policy: policies.started,
    policies,
    log,
    observer: watched.observer,
  })
}

/** Its code is read where it is on. */
async function openOperator({ config, policies, watched, market: { ports } }: Place, write: OpenedWrite) {
  if (!config.operatorPage) return null
  const { openOperatorPage } = await import('./operator/open-operator-page.ts')
  const { operator: access, wallet } = write
  return openOperatorPage({ config, policies, access, wallet: wallet.address, ports, alerts: watched.alerts })
}

async function openProvision(place: Place) {
  const { config, redactor, market, watched } = place
  const { provision } = config
  if (provision === null) return null
  const { createProvision } = await import('./provisioning/create-provision.ts')
  const openWrite = async (config: Config, wallet: WalletConfig) => {
    const opened = await openWriteOver(place, config, wallet)
    market.rememberIn(opened.sightings)
    watched.begin(opened)
    return opened
  }
  return createProvision({ config: { ...config, provision }, openWrite, randomBytes, redactor })
}

function adaptersOf({ config, log, redactor, policies, watched, market, shared }: Place, { write, workers }: Opened) {
  const { ports } = market
  const reads = openHistory(ports, { config, bars: write?.bars ?? shared?.bars })
  return {
    redactor,
    observer: watched.observer,
    alerts: watched.alerts,
    ports: { ...ports, ...reads, workers, agentAddress: write?.wallet.address ?? null },
    policyNow: () => policies.current(),
    ...(ports.rpc.atOneBlock !== undefined && { atOneBlock: ports.rpc.atOneBlock }),
    lend: lendFrom(config.databaseUrl === null ? null : (write ?? shared), log),
    limits: ratesOf(policies.started),
  }
}

type Place = {
  readonly config: Config
  readonly log: Log
  readonly redactor: Redactor
  readonly policies: PolicySource
  readonly watched: Watchers
  readonly market: OpenedPorts
  readonly shared: SharedReads | null
}

type OpenedWrite = Awaited<ReturnType<typeof openWriteOver>>

type Opened = {
  readonly write: OpenedWrite | null
  readonly workers: Workers
}

/** Of a database alone: the file of a data directory is one server's. While it is away, each server holds the limits by itself. */
function lendFrom(place: Pick<SharedReads, 'rateLeases'> | null, log: Log): Lend | null {
  if (place === null) return null
  const onError = (error: unknown) => log.warn('limits.not-shared', { error })
  const attempt = createAttempts({ now: () => performance.now(), onError })
  return createLender((asks) => attempt(() => place.rateLeases.lease(asks)))
}

/** What servers that only read share; the store is loaded where there is a database only. */
async function openShared(config: Config, log: Log): Promise<SharedReads | null> {
  if (signs(config) || config.databaseUrl === null) return null
  const { openSharedReads } = await import('./open-state.ts')
  return openSharedReads(config, log)
}

/** A server that only reads has no code of tools that act. */
async function toolsOf(profile: Config['profile']) {
  if (profile === 'data') return { tools: dataTools, toolsElsewhere: namesBeyondData }
  const { catalogue } = await import('./tools/index.ts')
  return { tools: catalogue }
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
export function startFacts({ config, wallet, policyFile, policy, pause, role }: Started): StartFacts {
  const { perTransaction, perSession, daily } = policy.limitsUsd
  return Object.freeze({
    mode: config.production ? 'production' : 'development',
    wallet: wallet ?? 'none',
    policy: policyFile ?? 'defaults',
    limitsUsd: { perTransaction, perSession, daily, approvalAbove: policy.approvalThresholdUsd },
    mostLostUsd: mostLost(policy),
    allowlist: policy.allowlist.mode,
    pause,
    ...(role !== null && { role: role.role, leader: role.leader }),
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
  /** Of servers that share a database: whether this one writes, and which one does. */
  readonly role?: 'leader' | 'follower'
  readonly leader?: string | null
}

type Started = {
  /** `null` where no other server could write. */
  readonly role: Pick<RoleFacts, 'role' | 'leader'> | null
  readonly config: Pick<Config, 'production'>
  /** `null` for a server that signs nothing. */
  readonly wallet: Address | null
  /** `null` where the defaults hold. */
  readonly policyFile: string | null
  readonly policy: Policy
  readonly pause: Pause | null
}
