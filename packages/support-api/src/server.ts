import { createLog, createRedactor, type Log, type LogDestination } from '@svc/runtime'
import type { Config } from './config.ts'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ConfigError, type ConfigProblem } from './config/schema.ts'
import { ApiError } from './errors.ts'
import { type AppCheck, createAppCheck } from './app-id/create-app-check.ts'
import type { Claims } from '@svc/store'
import { createMetrics, type Metrics } from './observability/create-metrics.ts'
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { hostname } from 'node:os'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import type { ApiContext } from './context.ts'
import { openFaucetPart } from './faucet/open-faucet-part.ts'
import { watchFaucet } from './observability/watch-faucet.ts'
import { type Clocks, openState } from './open-state.ts'
import { chooseBackend, createPinDesk } from './pins/create-pin-desk.ts'
import { version } from './version.ts'

/**
 * Puts the service together: store, app check, pins, faucet, routes. Throws a `StoreError` when the store cannot be opened
 * or another process has it, and a `ConfigError` for files and directories that cannot be used.
 */
export async function openSupportApi(config: Config, surroundings: Surroundings = {}): Promise<SupportApi> {
  const { now = Date.now, fetch = globalThis.fetch } = surroundings
  const log = openLog(config, surroundings.logDestination)
  const metrics = createMetrics()
  const tls = config.tls === null ? null : readTls(config.tls)
  const opened = await openState(config, surroundings)
  const { store } = opened
  for (const doubt of config.doubts) log.warn('config.doubt', doubt)
  if (config.faucet === null) log.info('faucet.off', { setting: 'SVC_FAUCET_PRIVATE_KEY' })
  const state = { isClosing: false }
  const faucet =
    config.faucet === null
      ? null
      : openFaucetPart({
          config: config.faucet,
          store: { ...store, claims: countSettled(store.claims, { metrics, log }) },
          holder: `process ${process.pid} on ${hostname()}`,
          version,
          log,
          now,
        })
  const watch = faucet === null ? null : watchFaucet({ faucet, metrics, log })
  const context: ApiContext = {
    config,
    store,
    apps: createAppCheck({ provider: config.identityProvider, fetch, now, metrics }),
    pins: createPinDesk({ store, service: chooseBackend(config, store), limits: config.pins, fetch, metrics, log }),
    faucet,
    metrics,
    log,
    now,
    isClosing: () => state.isClosing,
  }
  if (config.pageAppId !== null) {
    void checkPageApp(context.apps, config.pageAppId).then((doubt) => doubt && log.warn('config.doubt', doubt))
  }
  const server = openServer(tls, createApp(context, { ownsProcess: surroundings.ownsProcess ?? false }))
  return {
    listen: () => listen(server, config),
    async close(timeoutMs = 10_000) {
      if (state.isClosing) return
      state.isClosing = true
      await drain(server, timeoutMs)
      watch?.close()
      await context.faucet?.close()
      await opened.close()
      log.flush()
    },
  }
}

export type SupportApi = {
  /** Gives the address that the service then answers at. */
  listen(): Promise<{ readonly url: string; readonly port: number }>
  /** Takes nothing new, lets what is under way end for at most `timeoutMs`, then lets go of everything. */
  close(timeoutMs?: number): Promise<void>
}

/** The world outside, where a test or a program that holds the service in itself wants another one. */
export type Surroundings = Clocks & {
  readonly fetch?: typeof fetch
  readonly logDestination?: LogDestination
  /** Lets the server put lighter classes in the place of the process's `Request` and `Response`. */
  readonly ownsProcess?: boolean
}

function openServer(tls: ReturnType<typeof readTls> | null, answer: RequestListener): Server {
  const server =
    tls === null
      ? createPlainServer(reading, answer)
      : createTlsServer({ ...reading, ...tls, handshakeTimeout: reading.headersTimeout, minVersion: 'TLSv1.3' }, answer)
  server.maxConnections = mostConnections
  // All are read, for Node drops those beyond its count in silence; their bytes it bounds itself.
  server.maxHeadersCount = 0
  return server
}

/** Slow clients are cut off. */
const reading = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // Else of two Host or Content-Type fields the first would count here, and the last perhaps elsewhere.
  joinDuplicateHeaders: true,
}
const mostConnections = 4_096

function listen(server: Server, { listen: { host, port }, tls }: Config) {
  return new Promise<{ url: string; port: number }>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const { port: taken } = server.address() as AddressInfo
      const name = host.includes(':') ? `[${host}]` : host
      resolve({ url: `http${tls === null ? '' : 's'}://${name}:${taken}`, port: taken })
    })
  })
}

async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs)
  server.closeIdleConnections()
  await closed
  clearTimeout(cut)
}

/** The claims of the store, with a line in the log and a figure for each that is settled. */
function countSettled(claims: Claims, { metrics, log }: { metrics: Pick<Metrics, 'settled'>; log: Log }): Claims {
  return {
    ...claims,
    async mark(id, state, txHash) {
      await claims.mark(id, state, txHash)
      if (state !== 'confirmed' && state !== 'failed') return
      metrics.settled(state)
      log[state === 'failed' ? 'warn' : 'info']('faucet.settled', { claimId: id, state, txHash })
    },
  }
}

/**
 * What there is to doubt about the app that claims on the page count for: `null` when the identity provider knows it. One
 * that it does not know would have every claim on the page refused. Never rejects.
 */
async function checkPageApp(apps: AppCheck, appId: string): Promise<ConfigProblem | null> {
  try {
    await apps.require(appId, 'the page')
    return null
  } catch (error) {
    const setting = 'SVC_PAGE_APP_ID'
    const isUnknown = error instanceof ApiError && error.code === 'APP_ID_INVALID'
    const message = isUnknown
      ? 'The identity provider does not know this app: every claim on the page would be refused.'
      : 'The identity provider did not say whether it knows this app.'
    const fix = isUnknown ? `Correct ${setting}.` : 'See to SVC_IDENTITY_PROVIDER_URL and SVC_IDENTITY_PROVIDER_PATH.'
    return { code: 'SETTING_INVALID', setting, message, fix }
  }
}

/** Certificate and key as the server wants them. Throws a `ConfigError` for files that cannot be read or do not fit. */
function readTls({ certPath, keyPath }: NonNullable<Config['tls']>): { cert: Buffer; key: Buffer } {
  const files = { cert: readPem('SVC_TLS_CERT', certPath), key: readPem('SVC_TLS_KEY', keyPath) }
  try {
    createSecureContext(files)
  } catch {
    throw refused('SVC_TLS_CERT', 'This and SVC_TLS_KEY are not a certificate in PEM and its key.')
  }
  return files
}

function readPem(setting: 'SVC_TLS_CERT' | 'SVC_TLS_KEY', path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw refused(setting, `The file cannot be read (${code}).`)
  }
}

function refused(setting: string, message: string): ConfigError {
  return new ConfigError([{ code: 'TLS_FILE_INVALID', setting, message, fix: 'Correct the paths or the files.' }])
}

/**
 * The log of the service: one JSON object a line, to stderr by default. Whatever is secret in the settings is
 * taken out of every line, so that an upstream's error may quote its own address.
 */
export function openLog(config: Config, destination?: LogDestination): Log {
  return createLog({ level: config.logLevel, redactor: createRedactor(secretsOf(config)), destination })
}

function secretsOf({ databaseUrl, pins: { backend }, faucet }: Config): readonly string[] {
  const database = databaseUrl?.reveal()
  const endpoints = [
    ...(backend.kind === 'embedded' ? [] : [backend.url]),
    ...(faucet?.chains.flatMap(({ rpcUrls }) => rpcUrls) ?? []),
  ]
  return [
    ...(database === undefined ? [] : [database, new URL(database).password]),
    ...(backend.kind === 'pinata' ? [backend.jwt.reveal()] : []),
    ...(backend.kind === 'pinning-service' ? [backend.token.reveal()] : []),
    ...(faucet === null ? [] : [faucet.privateKey.reveal(), faucet.privateKey.reveal().slice(2)]),
    ...endpoints,
    ...endpoints.map((endpoint) => endpoint.replace(/\/$/, '')),
    ...endpoints.flatMap(keysIn),
  ]
}

/** Endpoints often hold a key, which they repeat when they refuse it: whatever in path and query is as long as one. */
function keysIn(endpoint: string): readonly string[] {
  const { pathname, search } = new URL(endpoint)
  return `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= shortestKey)
}

const shortestKey = 12
