import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { OpenAPIHono, z } from '@hono/zod-openapi'
import { clientAddress, ipv6Network, isLoopback } from '@svc/runtime'
import type { ApiContext, Env, Route, RouteContext } from './context.ts'
import { jsonReply, reply, type Reply, toApiError } from './edge/json.ts'
import { ApiError } from './errors.ts'
import { faucetStatusRoute } from './faucet/faucet-routes.ts'
import { reportNoFaucet } from './faucet/report-faucet.ts'
import { createFloodLimit } from './limits/create-flood-limit.ts'
import { pageRoutes } from './page/page-routes.ts'
import { blockRoute } from './routes/block.ts'
import { descriptionRoutes } from './routes/description.ts'
import { pinRoute } from './routes/pin.ts'
import { metricsRoute, readyRoute } from './routes/probes.ts'
import { version } from './version.ts'

/**
 * The whole service between a request and its answer: one pipeline, one line per route. What says the same to whoever asks is
 * found by its path and written as it is; behind it hono finds the rest, and odd spellings of the former.
 */
export function createApp(context: ApiContext, { ownsProcess }: AppOptions): RequestListener {
  const app = new OpenAPIHono<Env>()
  const routes: readonly Route[] = [
    pinRoute,
    ...(context.faucet?.routes ?? [noFaucetRoute(context)]),
    ...pageRoutes(),
    blockRoute,
    healthRoute,
    readyRoute(context),
    metricsRoute(context),
    ...descriptionRoutes(app),
  ]
  const withMiddleware = createMiddleware(context)
  const reported = new Map<string, (incoming: IncomingMessage) => Promise<Reply>>()
  for (const route of routes) {
    const { method, path } = route.config
    const handle = withMiddleware({ path, ...route })
    const answer: Answer = 'tell' in route ? route.tell : (c) => route.answer(c, context)
    if ('tell' in route) reported.set(path, (incoming) => handle(incoming, route.tell))
    app.openAPIRegistry.registerPath(route.config)
    app.on(method.toUpperCase(), pathOf(path), served(handle, answer))
    if (route.isOpenToPages) app.options(pathOf(path), served(handle, preflight))
  }
  app.notFound(refuseOthers(routes, withMiddleware))
  const others = getRequestListener(app.fetch, { overrideGlobalObjects: ownsProcess })
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const isLook = incoming.method === 'GET' || incoming.method === 'HEAD'
    const tell = isLook ? reported.get(pathIn(incoming.url ?? '')) : undefined
    if (tell === undefined) return others(incoming, outgoing)
    const { status, headers, body } = await tell(incoming)
    outgoing.writeHead(status, headers).end(body)
  }
  return (incoming, outgoing) => void answer(incoming, outgoing)
}

function noFaucetRoute({ now }: ApiContext): Route {
  return faucetStatusRoute(async () => reportNoFaucet({ version, now }))
}

/** `ownsProcess` lets lighter classes stand in the place of the process's `Request` and `Response`. */
type AppOptions = { readonly ownsProcess: boolean }

/** The pipeline of a request, step by step: one for what hono finds and for what is reported without it. */
function createMiddleware({ config, metrics, log, isClosing }: ApiContext): (sign: RouteOptions) => Middleware {
  const forAll = securityHeaders(config.tls !== null || config.trustedProxies.length > 0)
  const guard = createGuard(config)
  const refuse = (error: unknown, requestId: string): Reply => {
    const reported = toApiError(error)
    if (reported.code === 'INTERNAL') log.error('request.failed', { requestId, err: error })
    else if (reported.cause !== undefined) log.warn('request.refused', { requestId, err: reported })
    metrics.refused(reported.code)
    return problemReply(reported)
  }
  return ({ path, isProbe = false, isOpenToPages = false }) => {
    const always = { ...forAll, ...(isOpenToPages && forPages) }
    return async (incoming, answer) => {
      const startedAt = performance.now()
      const requestId = randomUUID()
      let reply: Reply
      try {
        reply = await answer(isProbe ? '' : guard(incoming))
      } catch (error) {
        reply = refuse(error, requestId)
      }
      const ms = performance.now() - startedAt
      const { status, headers, body } = reply
      metrics.served(path, status, ms)
      if (log.writesDebug)
        log.debug('request.served', { requestId, route: path, method: incoming.method, status, ms: Math.round(ms) })
      const last = isClosing() ? { connection: 'close' } : {}
      // In this order V8 gives the object a shape of its own, which is read far faster than a dictionary.
      return { status, headers: { 'x-request-id': requestId, ...always, ...headers, ...last }, body }
    }
  }
}

/** `path` as registered, or `none`. A probe reaches the process by its address: no check of host and proxy, no limit. */
type RouteOptions = { readonly path: string } & Pick<Route, 'isProbe' | 'isOpenToPages'>

/** Gives the answer with all that every answer has. `network` is the range of addresses the client is in; a probe's is empty. */
type Middleware = (incoming: IncomingMessage, answer: (network: string) => Promise<Reply> | Reply) => Promise<Reply>

/** As `cors` of hono has it. */
const forPages = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag,X-Ipfs-Path' }

/** The pipeline as hono takes it. */
function served(handle: Middleware, answer: Answer): (c: RouteContext) => Promise<Response> {
  return async (c) => {
    const { body, ...init } = await handle(c.env.incoming, (network) => {
      c.set('network', network)
      return answer(c)
    })
    return new Response(body, init)
  }
}

type Answer = (c: RouteContext) => Promise<Reply> | Reply

/** Refuses who is at the wrong address, past the proxy, or asks too often; gives the range of addresses of who is not. */
function createGuard({ allowedHosts, trustedProxies }: ApiContext['config']): (incoming: IncomingMessage) => string {
  const checkHost = requireHost(allowedHosts)
  const addressOf = clientAddress(trustedProxies)
  const holdFlood = createFloodLimit({ perMinute: floodPerMinute, now: () => performance.now() })
  return ({ rawHeaders, headers, socket }) => {
    requireFewHeaders(rawHeaders)
    checkHost(headers.host)
    const source = addressOf({ headers, socketAddress: socket.remoteAddress ?? '' })
    if ('fault' in source) throw new ApiError('PROXY_REQUIRED', source.fault)
    const network = networkOf(source.address)
    if (trustedProxies.length > 0 || !isLoopback(source.address)) holdFlood(network)
    return network
  }
}

/** What is answered where no route is, and to the methods that a path does not take. */
function refuseOthers(routes: readonly Route[], withMiddleware: ReturnType<typeof createMiddleware>) {
  const paths = [...new Set(routes.map(({ config }) => config.path))].map((path) => {
    const taken = routes.filter(({ config }) => config.path === path).map(({ config: { method } }) => method)
    const allow = taken.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ')
    const refuse = served(withMiddleware({ path }), () => {
      throw new ApiError('METHOD_NOT_ALLOWED', 'This method is not served here.', { headers: { allow } })
    })
    return { pattern: pathPattern(path), refuse }
  })
  const miss = served(withMiddleware({ path: 'none' }), () => {
    throw new ApiError('ROUTE_NOT_FOUND', 'There is nothing at this path.')
  })
  return (c: RouteContext) => (paths.find(({ pattern }) => pattern.test(c.req.path))?.refuse ?? miss)(c)
}

function pathOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function pathIn(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** What a page's browser asks before it asks for what is open to pages. */
function preflight(): Reply {
  const headers = { 'access-control-allow-methods': 'GET,HEAD', 'access-control-allow-headers': '*' }
  return { status: 204, headers, body: null }
}

/** Before any header is believed: one that was left out could be the one that counts. `raw` holds names and values in turn. */
function requireFewHeaders(raw: readonly string[]): void {
  if (raw.length <= 2 * mostHeaders) return
  const headers = { connection: 'close' }
  throw new ApiError('HEADERS_TOO_LARGE', 'The request has too many header fields.', { headers })
}

const floodPerMinute = 1_200
const mostHeaders = 100

/** What the paths of a route look like, whose own has its parameters between braces. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

/** Headers of every answer that does not say otherwise: nothing here is a page, a frame or a script of anybody. */
function securityHeaders(overTls: boolean): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(overTls && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/** The answer for an error: RFC 9457, never cached. */
function problemReply(error: ApiError): Reply {
  const problem = error.toJSON()
  return reply(JSON.stringify(problem), 'application/problem+json', {
    status: problem.status,
    headers: {
      'cache-control': 'no-store',
      ...(error.retryAfterSeconds !== null && { 'retry-after': String(error.retryAfterSeconds) }),
      ...error.headers,
    },
  })
}

/**
 * The range of addresses that counts as one client: the /24 of an IPv4 address, the /64 of an IPv6 address, which is
 * what one subscriber gets. All spellings of an address give the same.
 */
export function networkOf(address: string): string {
  return ipv6Network(address) ?? `${address.slice(0, address.lastIndexOf('.'))}.0/24`
}

/** Whether the process answers at all; whether it should be asked is `/readyz`. */
const healthRoute: Route = {
  config: {
    method: 'get',
    path: '/healthz',
    summary: 'Whether the process answers',
    tags: ['operation'],
    responses: {
      200: {
        description: 'It does.',
        content: { 'application/json': { schema: z.strictObject({ status: z.literal('ok') }) } },
      },
    },
  },
  isProbe: true,
  tell: () => jsonReply({ status: 'ok' }),
}

/** A check of the `Host` header against loopback and the allowed names: what is rebound to us by DNS shows itself there. */
function requireHost(allowedHosts: readonly string[]): (host: string | undefined) => void {
  const names = new Set([...loopback, ...allowedHosts].flatMap((name) => nameIn(name) ?? []))
  const accepted = new Set<string>()
  return (host = '') => {
    // Clients repeat their spelling with every request.
    if (accepted.has(host)) return
    const name = nameIn(host)
    if (name === null || !names.has(name))
      throw new ApiError('HOST_NOT_ALLOWED', 'The Host header names another service.')
    if (accepted.size < 64) accepted.add(host)
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** The name in small letters, an IPv6 address as URLs spell it; `null` for all but `host` and `host:port`. */
function nameIn(host: string): string | null {
  const name = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase()
  if (name === undefined || !URL.canParse(`http://${host}`)) return null
  return name.startsWith('[') ? new URL(`http://${name}`).hostname : name
}
