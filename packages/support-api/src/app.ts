import { randomUUID } from 'node:crypto'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { ApiError } from './api-error.ts'
import type { ApiContext, Env, Route } from './context.ts'
import { clientAddress } from './edge/client-address.ts'
import { problemResponse } from './edge/problem-response.ts'
import { requireHost } from './edge/require-host.ts'
import { securityHeaders } from './edge/security-headers.ts'
import { toApiError } from './edge/to-api-error.ts'
import { createFloodLimit } from './limits/create-flood-limit.ts'
import { networkOf } from './limits/network-of.ts'
import { pageRoutes } from './page/page-routes.ts'
import { blockRoute } from './routes/block.ts'
import { healthRoute } from './routes/health.ts'
import { metricsRoute } from './routes/metrics.ts'
import { descriptionRoutes } from './routes/description.ts'
import { pinRoute } from './routes/pin.ts'
import { readyRoute } from './routes/ready.ts'

/** The whole service between a request and its answer: one line per step, one per route. */
export function createApp(context: ApiContext): OpenAPIHono<Env> {
  const app = new OpenAPIHono<Env>()
  const routes: readonly Route[] = [
    pinRoute,
    ...(context.faucet?.routes ?? []),
    ...pageRoutes(),
    blockRoute,
    healthRoute,
    readyRoute,
    metricsRoute,
    ...descriptionRoutes(app),
  ]
  app.onError((error, c) => {
    const told = toApiError(error)
    if (told.code === 'INTERNAL') context.log.error('request.failed', { requestId: c.get('requestId'), err: error })
    else if (told.cause !== undefined) context.log.warn('request.refused', { requestId: c.get('requestId'), err: told })
    context.metrics.refused(told.code)
    return problemResponse(told)
  })
  app.notFound(() => {
    throw new ApiError('ROUTE_NOT_FOUND', 'There is nothing at this path.')
  })
  app.use(measured(context))
  app.use(guarded(context, new Set(routes.flatMap(({ config, isProbe }) => (isProbe ? [config.path] : [])))))
  for (const route of routes) serve(app, route, context)
  refuseOthers(app, routes)
  return app
}

/** Names the request, and counts and logs what became of it. */
function measured({ config, metrics, log, isClosing }: ApiContext): MiddlewareHandler<Env> {
  const headers = securityHeaders(config.tls !== null || config.trustedProxies.length > 0)
  return async (c, next) => {
    const startedAt = performance.now()
    const requestId = randomUUID()
    c.set('requestId', requestId)
    c.set('route', 'none')
    // Defaults, which the headers of an answer win over; told to Node itself, because rebuilding answers takes longer than most of them.
    const { outgoing } = c.env
    for (const [name, value] of headers) outgoing.setHeader(name, value)
    outgoing.setHeader('x-request-id', requestId)
    await next()
    if (isClosing()) outgoing.setHeader('connection', 'close')
    const ms = performance.now() - startedAt
    const { status } = c.res
    const route = c.get('route')
    metrics.served(route, status, ms)
    if (log.writesDebug)
      log.debug('request.served', { requestId, route, method: c.req.method, status, ms: Math.round(ms) })
  }
}

/** Refuses who is at the wrong address, past the proxy, or asks too often. */
function guarded({ config }: ApiContext, probes: ReadonlySet<string>): MiddlewareHandler<Env> {
  const checkHost = requireHost(config.allowedHosts)
  const addressOf = clientAddress(config.trustedProxies)
  const holdFlood = createFloodLimit({ perMinute: floodPerMinute, now: () => performance.now() })
  return async (c, next) => {
    const { incoming } = c.env
    if (!probes.has(c.req.path)) {
      checkHost(incoming.headers.host)
      const address = addressOf({ headers: incoming.headers, socketAddress: incoming.socket.remoteAddress ?? '' })
      c.set('network', networkOf(address))
      if (config.trustedProxies.length > 0 || !isLoopback(address)) holdFlood(c.get('network'))
    }
    await next()
  }
}

function serve(app: OpenAPIHono<Env>, { config, answer, isOpenToPages }: Route, context: ApiContext): void {
  const method = config.method.toUpperCase()
  const path = pathOf(config)
  app.openAPIRegistry.registerPath(config)
  if (isOpenToPages) app.options(path, cors({ origin: '*', allowMethods: [method, 'HEAD'] }))
  app.on(method, path, (c) => {
    c.set('route', config.path)
    if (isOpenToPages) openToPages(c.env.outgoing)
    return answer(c, context)
  })
}

/** What is answered to the methods that a path does not take. */
function refuseOthers(app: OpenAPIHono<Env>, routes: readonly Route[]): void {
  for (const { config } of routes) {
    const taken = routes.filter(({ config: { path } }) => path === config.path).map(({ config: { method } }) => method)
    const allow = taken.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ')
    app.all(pathOf(config), (c) => {
      c.set('route', config.path)
      throw new ApiError('METHOD_NOT_ALLOWED', 'This method is not served here.', { headers: { allow } })
    })
  }
}

function pathOf({ path }: Route['config']): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** As `cors` has it, but told to Node itself: rebuilding answers takes longer than most of them. */
function openToPages(outgoing: Env['Bindings']['outgoing']): void {
  outgoing.setHeader('access-control-allow-origin', '*')
  outgoing.setHeader('access-control-expose-headers', 'ETag,X-Ipfs-Path')
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

const floodPerMinute = 1_200
