import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { hostname } from 'node:os'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { checkPageApp } from './app-id/check-page-app.ts'
import { createAppCheck } from './app-id/create-app-check.ts'
import type { Config } from './config.ts'
import { readTls } from './config/read-tls.ts'
import type { ApiContext } from './context.ts'
import { openFaucetPart } from './faucet/open-faucet-part.ts'
import { countSettled } from './observability/count-settled.ts'
import { createMetrics } from './observability/create-metrics.ts'
import { openLog } from './observability/open-log.ts'
import type { LogDestination } from '@svc/runtime'
import { watchFaucet } from './observability/watch-faucet.ts'
import { type Clocks, openState } from './open-state.ts'
import { chooseBackend } from './pins/choose-backend.ts'
import { createPinDesk } from './pins/create-pin-desk.ts'
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
