import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { credentialsOf, isInForce, type ApiKeys, agreeOnKeys, type KeysOwner, shareNoKeys } from './auth/credentials.ts'
import { authStages } from './auth/auth-stages.ts'
import { createAuthenticate } from './auth/authenticate.ts'
import type { SignIn } from './auth/sign-in/sign-in.ts'
import type { Policy, Principal, SafetyReport } from '@svc/engine'
import { createAgentDocuments } from './cards/agent-documents.ts'
import type { Config } from './config/config-shape.ts'
import type { WritePipeline } from './dispatch/carry-out.ts'
import { isOffered } from './dispatch/offered-tools.ts'
import type { Tasks } from '@svc/store'
import type { Log, LogDestination, Redactor } from '@svc/runtime'
import { openLog } from './config/secrets.ts'
import type { RpcPool } from '@svc/amm'
import { openDispatch, type Provision, provisionUntilClosing } from './open-dispatch.ts'
import type { Ports } from './ports.ts'
import { instructions, type Core, openCore } from './open-core.ts'
import { type Scheduler, startScheduler } from './scheduler.ts'
import { version } from './status/status.ts'
import type { Tool } from './tool.ts'
import type { StatusReport } from './tool-context.ts'
import { createEras } from './transports/eras.ts'
import type { Lend } from './rate-limits/leases.ts'
import { createRateLimits } from './rate-limits/rate-limit.ts'
import { defaultLimits, type Limits } from './config/limits.ts'
import { createGuards, hostNames } from './transports/guards.ts'
import { createFastPath } from './transports/fast-path.ts'
import type { Observer } from './observer.ts'
import type { OperatorPage } from './operator/operator-page.ts'
import type { Traffic } from './traffic.ts'
import { createHttpTransport, type HttpTransport } from './transports/http.ts'
import { createLegacyEra } from './transports/legacy-era.ts'
import type { McpTesting } from './transports/mcp-server.ts'
import { createSessions } from './transports/sessions.ts'
import type { StdioTransport } from './transports/stdio.ts'

/** The tool server. Nothing is opened before `listen` or `serveStdio`. */
export type ToolServer = {
  /** Serves Streamable HTTP at `url` (path /mcp), with so many tools of its profile. */
  listen(): Promise<{ readonly url: string; readonly port: number; readonly tools: number }>
  /** Serves one client over a pair of streams; resolves when it has gone. */
  serveStdio(streams?: { readonly input: Readable; readonly output: Writable }): Promise<void>
  /**
   * Stops writes before their next signature, finishes what is in flight, for at most 10 s, and closes everything. What
   * a write had signed and could not finish stands in the journal; the next start brings it to its end.
   */
  close(): Promise<void>
  /** How many writes are on their way; those that `close` had to leave unfinished, once it has ended. */
  writesUnderWay(): number
}

/** What stands between the server and the world; whatever is left out is made from the configuration. */
export type Adapters = {
  readonly tools: readonly Tool[]
  /** Names of tools of other profiles, whose code is not there. */
  readonly toolsElsewhere?: readonly string[]
  readonly ports: Ports
  /** The pipeline of a transaction; `null` where there is no wallet. */
  readonly write: (WritePipeline & WriteLife) | null
  /** Makes the wallet that is missing; `null` where there is one, or where the operator does not allow it. */
  readonly provision?: Provision<WritePipeline & WriteLife> | null
  /** The policy as the server has it now, to report on; that of its file unless given. Throws `ToolError`. */
  readonly policyNow?: () => Promise<Policy>
  /** Counts the requests over HTTP, which other threads of the process give way to. */
  readonly traffic?: Traffic
  /** Who hears what the server does; nobody unless given. */
  readonly observer?: Observer | undefined
  /** What is out of the ordinary now, for those who ask how safe things are. */
  readonly alerts?: StatusReport['alerts']
  /** Takes tokens of callers who sign in here or elsewhere; it is closed with the server. */
  readonly signIn?: SignIn | null
  /** What whoever operates the server sees and decides in a browser; nothing unless given. */
  readonly operator?: OperatorPage | null
  readonly limits?: Partial<Limits>
  /** Lends tokens of the rate limits that other servers share; without it they are this server's own. */
  readonly lend?: Lend | null
  /** Where calls that are answered later are kept; beside what the wallet does unless given, and nowhere without one. */
  readonly tasks?: Tasks
  /** Runs a read so that its answer is of one block. */
  readonly atOneBlock?: NonNullable<RpcPool['atOneBlock']>
  /** Where log lines go; stderr unless given. */
  readonly logDestination?: LogDestination
  /** Takes secrets out of log lines; one that knows those of the configuration unless given. */
  readonly redactor?: Redactor
  readonly testing?: McpTesting
  /** Whether plain requests are answered without the protocol library; they are unless a test or benchmark compares. */
  readonly isFast?: boolean
  /** Milliseconds that only grow, for sessions and rate limits; of this process unless given. */
  readonly now?: () => number
}

export type WriteLife = KeysOwner & {
  /** Leaves a line, now and then, about callers that were turned away. */
  readonly refusedCaller?: (reason: string, address: string) => void
  safety(principal: Principal): Promise<SafetyReport>
  /** How many writes have begun and not ended. */
  underWay(): number
  /** Lets no write begin or sign again, and waits a bounded time for those on their way. */
  stop(): Promise<void>
  /** Stops, then closes store, audit log and lock. */
  close(): Promise<void>
}

export function createServer(config: Config, adapters: Adapters): ToolServer {
  const log = openLog(config, adapters.logDestination, adapters.redactor)
  for (const warning of config.warnings) log.warn('config.warning', { warning })
  const closing = new AbortController()
  const { write } = adapters
  const open: Open = { http: null, stdio: null, due: null, keys: null, servedAt: null, write }
  const isTaken = (principal: Principal) => isInForce(principal, credentialsOf(config, open.keys), adapters.signIn)
  const late = adapters.provision ? provisionUntilClosing(adapters.provision, closing.signal) : null
  const withLate = { ...adapters, provision: late?.provision ?? null }
  const place = { config, adapters: withLate, log, isInForce: isTaken, servedAt: () => open.servedAt }
  const dispatch = openDispatch(place, (made) => {
    open.write = made
    open.due?.stop()
    open.due = closing.signal.aborted ? null : startDue()
  })
  const { testing = null, limits } = adapters
  const mostStreams = limits?.maxSessions ?? defaultLimits.maxSessions
  const core = openCore(dispatch, { testing, mostStreams, log, closing: closing.signal })
  const startDue = () =>
    startScheduler({ ...adapters, write: open.write }, { dispatch, config, isInForce: isTaken, log })
  return Object.freeze({
    async listen() {
      open.keys ??= await agreeOnKeys(config, write, { signal: closing.signal })
      open.due ??= startDue()
      open.http = await openHttp(
        config,
        adapters,
        core,
        { keys: open.keys, servedAt: () => open.servedAt ?? '', write: () => open.write },
        log,
      )
      const address = await open.http.transport.listen(config.listen)
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
      const url = `${config.tls === null ? 'http' : 'https'}://${host}:${address.port}/mcp`
      open.servedAt = config.publicUrl ?? url
      adapters.signIn?.serveAt(open.servedAt)
      const tools = adapters.tools.filter((tool) => isOffered(tool, config.profile, config.toolsets)).length
      log.info('server.listening', { url, profile: config.profile, tools })
      return { url, port: address.port, tools }
    },
    async serveStdio(streams = { input: process.stdin, output: process.stdout }) {
      await shareNoKeys(write)
      open.due ??= startDue()
      const { createStdioTransport } = await import('./transports/stdio.ts')
      const { newMcpServer } = await core.protocol.get()
      open.stdio = createStdioTransport({ newMcpServer, ...streams, log })
      await open.stdio.ended
    },
    writesUnderWay: () => open.write?.underWay() ?? 0,
    async close() {
      open.due?.stop()
      closing.abort()
      const stopped = [open.write?.stop(), dispatch.tasks?.service.stop(), late?.settled()]
      await closeOpen(open, adapters.signIn, stopped)
      log.info('server.closed')
      log.flush()
    },
  })
}

async function closeOpen(
  open: Open,
  signIn: Adapters['signIn'],
  stopped: readonly (Promise<unknown> | undefined)[],
): Promise<void> {
  await open.http?.close()
  await Promise.all(stopped.flatMap((each) => each ?? []))
  await open.stdio?.close()
  await signIn?.close()
  await open.write?.close()
}

type Open = {
  http: OpenHttp | null
  stdio: StdioTransport | null
  due: Scheduler
  /** Those in force; over stdio nobody comes with one, and those of the configuration stand. */
  keys: ApiKeys | null
  /** Where clients reach `/mcp` over HTTP, once it listens. */
  servedAt: string | null
  /** `null` as long as there is no wallet. */
  write: Adapters['write']
}

type OpenHttp = { readonly transport: HttpTransport; close(): Promise<void> }

async function openHttp(
  config: Config,
  adapters: Adapters,
  core: Core,
  { keys, servedAt, write }: HttpPlace,
  log: Log,
): Promise<OpenHttp> {
  const { now = () => process.uptime() * 1_000, isFast = true } = adapters
  const limits = { ...defaultLimits, ...adapters.limits }
  const sessions = createSessions({ max: limits.maxSessions, idleMs: limits.sessionIdleMs, now })
  const protocol = () => core.protocol.get()
  const legacy = createLegacyEra({ ...core, instructions, isFast, protocol, sessions, newSessionId: randomUUID, now })
  // Read only where it is on.
  const webSockets = config.webSocket
    ? (await import('./transports/web-sockets.ts')).createWebSockets({
        protocol,
        now,
        log,
        limits,
        traffic: adapters.traffic,
      })
    : null
  const transport = createHttpTransport({
    tls:
      config.tls === null ? null : { cert: readFileSync(config.tls.certPath), key: readFileSync(config.tls.keyPath) },
    guards: createGuards({ ...config, allowedHosts: hostNames(config) }),
    authenticate: createAuthenticate(
      authStages(config, keys, adapters.signIn),
      Date.now,
      adapters.observer?.authenticated,
    ),
    limits: createRateLimits(limits, { now, lend: adapters.lend ?? null, onRefused: adapters.observer?.limited }),
    slow: limits,
    bodyRoomBytes: limits.bodyRoomBytes,
    signIn: adapters.signIn ?? null,
    operator: adapters.operator ?? null,
    missingScope: core.dispatch.missingScope,
    role: () => (write()?.sharedKeys ? write()?.role?.().role : undefined),
    onScopeMissing: (facts) => log.info('auth.scope-missing', facts),
    eras: createEras({ legacy, fastPath: isFast ? createFastPath({ ...core, instructions }) : null, protocol }),
    onRefused: (reason, address) => write()?.refusedCaller?.(reason, address),
    traffic: adapters.traffic,
    onAnswered: adapters.observer?.answered,
    documents: createAgentDocuments({ config, tools: adapters.tools, version, servedAt }),
    webSockets,
    log,
  })
  adapters.observer?.transport?.({ sessions: () => sessions.size, connections: () => transport.connections() })
  const sweeper = setInterval(() => void sessions.sweep(), Math.min(60_000, limits.sessionIdleMs)).unref()
  return {
    transport,
    async close() {
      clearInterval(sweeper)
      await transport.close(limits.drainMs, async () => {
        await Promise.all([
          sessions.closeAll(),
          webSockets?.close(),
          core.protocol.made()?.then(({ modern }) => modern.close()),
        ])
      })
    },
  }
}

type HttpPlace = {
  readonly keys: ApiKeys
  readonly servedAt: () => string
  readonly write: () => Adapters['write']
}
