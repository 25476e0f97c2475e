import { randomUUID } from 'node:crypto'
import { OpenAPIHono } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import { ApiError } from './api-error.ts'
import type { ApiContext, Env, Route, RouteContext } from './context.ts'
import { clientAddress } from './edge/client-address.ts'
import { pathPattern } from './edge/path-pattern.ts'
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

/** The whole service between a request and its answer: one road, one line per route. */
export function createApp(context: ApiContext): OpenAPIHono<Env> {
  const app = new OpenAPIHono<Env>()
  const routes: readonly Route[] = [
    pinRoute,
    ...(context.faucet?.routes ?? []),
    ...pageRoutes(),
    blockRoute,
    healthRoute,
    readyRoute(context),
    metricsRoute(context),
    ...descriptionRoutes(app),
  ]
  const pave = createRoad(context)
  for (const { config, answer, isProbe = false, isOpenToPages = false } of routes) {
    const { method, path } = config
    app.openAPIRegistry.registerPath(config)
    const answered = isOpenToPages ? opened(answer) : answer
    app.on(
      method.toUpperCase(),
      pathOf(path),
      pave({ path, isProbe }, (c) => answered(c, context)),
    )
    if (isOpenToPages) app.options(pathOf(path), pave({ path }, preflight(method)))
  }
  app.notFound(refuseOthers(routes, pave))
  return app
}

/**
 * The road of a request, step by step. It is one function and not a chain of middleware: hono calls a lone handler
 * without composing anything, and the status is asked for more than all else.
 */
function createRoad({ config, metrics, log, isClosing }: ApiContext) {
  const headers = securityHeaders(config.tls !== null || config.trustedProxies.length > 0)
  const guard = createGuard(config)
  const tell = (error: unknown, requestId: string): Response => {
    const told = toApiError(error)
    if (told.code === 'INTERNAL') log.error('request.failed', { requestId, err: error })
    else if (told.cause !== undefined) log.warn('request.refused', { requestId, err: told })
    metrics.refused(told.code)
    return problemResponse(told)
  }
  return ({ path, isProbe = false }: RoadSign, answer: Answer) =>
    async (c: RouteContext): Promise<Response> => {
      const startedAt = performance.now()
      const requestId = randomUUID()
      const { outgoing } = c.env
      // Defaults, which the headers of an answer win over; told to Node itself, because rebuilding answers takes longer than most of them.
      for (const [name, value] of headers) outgoing.setHeader(name, value)
      outgoing.setHeader('x-request-id', requestId)
      let response: Response
      try {
        if (!isProbe) c.set('network', guard(c.env.incoming))
        response = await answer(c)
      } catch (error) {
        response = tell(error, requestId)
      }
      if (isClosing()) outgoing.setHeader('connection', 'close')
      const ms = performance.now() - startedAt
      const { status } = response
      metrics.served(path, status, ms)
      if (log.writesDebug)
        log.debug('request.served', { requestId, route: path, method: c.req.method, status, ms: Math.round(ms) })
      return response
    }
}

type Answer = (c: RouteContext) => Promise<Response> | Response

/** `path` as registered, or `none`. A probe reaches the process by its address: no check of host and proxy, no limit. */
type RoadSign = { readonly path: string; readonly isProbe?: boolean }

/** Refuses who is at the wrong address, past the proxy, or asks too often; gives the range of addresses of who is not. */
function createGuard({ allowedHosts, trustedProxies }: ApiContext['config']): (incoming: Incoming) => string {
  const checkHost = requireHost(allowedHosts)
  const addressOf = clientAddress(trustedProxies)
  const holdFlood = createFloodLimit({ perMinute: floodPerMinute, now: () => performance.now() })
  return ({ headers, socket }) => {
    checkHost(headers.host)
    const address = addressOf({ headers, socketAddress: socket.remoteAddress ?? '' })
    const network = networkOf(address)
    if (trustedProxies.length > 0 || !isLoopback(address)) holdFlood(network)
    return network
  }
}

type Incoming = Env['Bindings']['incoming']

/** What is answered where no route is, and to the methods that a path does not take. */
function refuseOthers(routes: readonly Route[], pave: ReturnType<typeof createRoad>): Answer {
  const paths = [...new Set(routes.map(({ config }) => config.path))].map((path) => {
    const taken = routes.filter(({ config }) => config.path === path).map(({ config: { method } }) => method)
    const allow = taken.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ')
    const refuse = pave({ path }, () => {
      throw new ApiError('METHOD_NOT_ALLOWED', 'This method is not served here.', { headers: { allow } })
    })
    return { pattern: pathPattern(path), refuse }
  })
  const miss = pave({ path: 'none' }, () => {
    throw new ApiError('ROUTE_NOT_FOUND', 'There is nothing at this path.')
  })
  return (c) => (paths.find(({ pattern }) => pattern.test(c.req.path))?.refuse ?? miss)(c)
}

function pathOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** As `cors` has it, but told to Node itself. */
function opened(answer: Route['answer']): Route['answer'] {
  return (c, context) => {
    c.env.outgoing.setHeader('access-control-allow-origin', '*')
    c.env.outgoing.setHeader('access-control-expose-headers', 'ETag,X-Ipfs-Path')
    return answer(c, context)
  }
}

function preflight(method: string): Answer {
  const answer = cors({ origin: '*', allowMethods: [method.toUpperCase(), 'HEAD'] })
  return async (c) => (await answer(c, async () => {})) ?? c.body(null, 204)
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

const floodPerMinute = 1_200
