import { createRedactor, type Log, type LogFacts, type LogLevel, type Redactor } from '@svc/runtime'
import { parsePolicy, type Policy } from '@svc/engine/policy'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBarMemory } from '@svc/amm/history'
import { authStages } from '../auth/auth-stages.ts'
import { createAuthenticate } from '../auth/authenticate.ts'
import { createAgentDocuments } from '../cards/agent-documents.ts'
import type { Config } from '../config/config-shape.ts'
import { secretsOf } from '../config/secrets.ts'
import { createOfferedTools } from '../dispatch/offered-tools.ts'
import { defaultLimits, ratesOf } from '../config/limits.ts'
import { handleRequest } from '../pipeline.ts'
import { createRateLimits } from '../rate-limits/rate-limit.ts'
import { version } from '../status/status.ts'
import { dataTools, namesBeyondData } from '../tools/data-tools.ts'
import { answerFailure, problemOf } from '../transports/answers.ts'
import { createGuards, hostNames, loopbackHosts } from '../transports/guards.ts'
import { createBodyRoom } from '../transports/json-body.ts'
import { refuse, type RequestContext } from '../transports/request-stages.ts'
import { openEras } from './open-eras.ts'
import { readEdgeConfig } from './read-edge-config.ts'

/**
 * The server of the profile `data` for a place that is no process of its own, such as an isolate of workerd: a request passes the same stages,
 * and a call the same pipeline. Nothing of one request is touched by another: whatever can wait for something is made for each, and goes with it; what
 * stays is plain data.
 *
 * Throws `ConfigError`, or `ToolError` for a policy that is none.
 */
export function createEdgeServer(options: EdgeOptions): EdgeServer {
  const config = readEdgeConfig(options.env, options.chains ?? [])
  const policy = parsePolicy(options.policy ?? {}, config)
  const redactor = createRedactor(secretsOf(config))
  const log = createLineLog({ level: config.logLevel, redactor, write: options.write, now: Date.now })
  for (const warning of config.warnings) log.warn('config.warning', { warning })
  const { stages, offered, bars } = keep(config, policy, log)
  const place = { config, policy, redactor, log, offered, bars, fetch: options.fetch }
  return Object.freeze({
    refuse(url) {
      const refused = refusePlainHttp(url)
      // A key may have been in it, and is to be replaced then.
      if (refused !== null) log.warn('edge.plain-http', {})
      return refused
    },
    async handle(request: IncomingMessage, response: ServerResponse) {
      const context: RequestContext = {
        ...stages,
        // Whoever is turned away before costs none.
        eras: {
          post: async (...asked) => (await openEras(place)).post(...asked),
          session: async (...asked) => (await openEras(place)).session(...asked),
        },
        inFlight: new Set(),
        streams: new WeakSet(),
        // One for all would be short of what those had who left.
        bodies: createBodyRoom(defaultLimits.bodyRoomBytes),
      }
      await handleRequest(request, response, context).catch((error: unknown) => answerFailure(response, error, log))
    },
  })
}

export type EdgeServer = {
  /**
   * What is answered to a request for this URL before anything of it is read: over plain http from beyond this machine a refusal, as of whoever
   * comes past an edge proxy, and no redirect, which would have clients send their keys in the clear each time. `null` where it may go on.
   */
  refuse(url: string): Response | null
  /** Answers one request. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export type EdgeOptions = {
  /** The settings, as the platform binds them. */
  readonly env: Readonly<Record<string, unknown>>
  /** What a chains file (`SVC_CHAINS_FILE`) holds; none unless given. */
  readonly chains?: unknown
  /** What `policy.json` holds: tokens, price sources, hooks, vaults, limits of requests. The defaults unless given. */
  readonly policy?: unknown
  /** Takes a line of the log. */
  readonly write: (line: string) => void
  /** The platform's unless given. */
  readonly fetch?: typeof globalThis.fetch
}

function refusePlainHttp(url: string): Response | null {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || loopbackHosts.includes(hostname)) return null
  const { status, body, headers } = problemOf(
    refuse('PROXY_REQUIRED', 'The request did not reach the edge over https.'),
  )
  return new Response(body, { status, headers })
}

/** What all requests share: no promise, no timer and no signal is among it. */
function keep(config: Config, policy: Policy, log: Log) {
  const offered = createOfferedTools(dataTools, 'data', namesBeyondData, config.toolsets)
  const now = () => performance.now()
  const servedAt = () => config.publicUrl ?? ''
  const stages = {
    guards: createGuards({ ...config, allowedHosts: hostNames(config) }),
    authenticate: createAuthenticate(authStages(config, config.auth.apiKeys), Date.now),
    limits: createRateLimits({ ...defaultLimits, ...ratesOf(policy) }, { now, lend: null }),
    signIn: null,
    operator: null,
    missingScope: (...asked: Parameters<typeof offered.missingScope>) => offered.missingScope(...asked),
    onScopeMissing: (facts: Readonly<Record<string, unknown>>) => log.info('auth.scope-missing', facts),
    documents: createAgentDocuments({ config, tools: dataTools, version, servedAt }),
  } satisfies Partial<RequestContext>
  return { stages, offered, bars: createBarMemory() }
}

/** The log of a place without files: the same lines as of a process, each handed to `write`. */
export function createLineLog({ level, redactor, write, now }: LineLogOptions): Log {
  const least = levels[level]
  const at = (name: 'debug' | 'info' | 'warn' | 'error') => {
    if (levels[name] < least) return () => {}
    // As everywhere: what is expected to go wrong now and then is a line without a stack.
    const isBrief = name === 'warn' && least > levels.debug
    return (event: string, facts: LogFacts = {}) => {
      const shown = isBrief ? redactor.brief(facts) : redactor.value(facts)
      write(JSON.stringify({ level: levels[name], time: now(), ...Object(shown), event }))
    }
  }
  return Object.freeze({
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush: () => {},
    writesDebug: levels.debug >= least,
    writesInfo: levels.info >= least,
  })
}

export type LineLogOptions = {
  readonly level: LogLevel
  readonly redactor: Pick<Redactor, 'brief' | 'value'>
  readonly write: (line: string) => void
  /** Unix milliseconds. */
  readonly now: () => number
}

const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity } as const
