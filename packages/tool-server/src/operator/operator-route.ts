import type { IncomingMessage, ServerResponse } from 'node:http'
import { ToolError } from '@svc/amm'
import type { OperatorAnswer } from './operator-acts.ts'
import type { OperatorPage } from './operator-page.ts'
import { HttpRefusal } from '../transports/answers.ts'
import { loopbackHosts } from '../transports/guards.ts'
import { parseJson } from '../transports/json-body.ts'
import {
  readBoundedBody,
  refuse,
  type RequestContext,
  requireBudget,
  requireJson,
  track,
} from '../transports/request-stages.ts'

/**
 * Answers the operator page to browsers of its own origin alone: no origin that may call the tools may read or use it. Each request counts against
 * its address, and each that no passkey confirms against the few that such an address has.
 */
export async function answerOperatorRoute(
  request: IncomingMessage,
  response: ServerResponse,
  context: OperatorContext,
): Promise<void> {
  const { operator, guards, limits, onRefused, bodies, inFlight } = context
  for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value)
  const address = guards.clientAddress(request.headers, request.socket.remoteAddress ?? '')
  await requireBudget(limits.perAddress, address)
  requireOwnPlace(request, operator)
  const [path = '', query] = (request.url ?? '').split('?', 2)
  const token = tokenOf(request, operator)
  track(inFlight, response)
  try {
    if (request.method === 'GET')
      return send(request, response, await operator.get(path, token, new URLSearchParams(query).get('token')), operator)
    if (request.method !== 'POST' || operator.origin === null) throw onlyRead(operator)
    requireOwnScript(request, operator.origin)
    const parsed = parseJson(await readBoundedBody(request, { bodies }, maxBytes), maxDepth)
    if (!parsed.ok) throw refuse('VALIDATION_FAILED', 'The body is not JSON in UTF-8, or nested too deep.')
    send(request, response, await operator.post(path, parsed.value, token), operator)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (error.code === 'SIGN_IN_REFUSED') {
      onRefused?.('refused', address)
      await requireBudget(limits.unauthenticated, address)
    }
    throw new HttpRefusal(error)
  }
}

type OperatorContext = Pick<RequestContext, 'guards' | 'limits' | 'onRefused' | 'bodies' | 'inFlight'> & {
  readonly operator: OperatorPage
}

/** Where operators reach it and no other name, or on this machine and over no proxy: a rebound name, or a proxy that nobody named, shows itself. */
function requireOwnPlace({ headers, httpVersion }: IncomingMessage, { origin: own }: OperatorPage): void {
  const { host = '', origin } = headers
  if (own === null) {
    const name = host.replace(/:\d+$/, '')
    if (!loopbackHosts.includes(name)) throw refuse('HOST_NOT_ALLOWED', 'The operator page is for this machine.')
    // A proxy that says nothing of itself mostly speaks HTTP/1.0, which no browser does.
    if (httpVersion === '1.0' || forwarding.some((field) => headers[field] !== undefined))
      throw refuse('HOST_NOT_ALLOWED', 'The operator page is for this machine, and not behind a proxy.')
  } else if (host !== new URL(own).host) {
    throw refuse('HOST_NOT_ALLOWED', 'The operator page answers under its public address only.')
  }
  const accepted = own === null ? [`http://${host}`, `https://${host}`] : [own]
  if (origin !== undefined && !accepted.includes(origin)) throw foreign()
}

/** What a form or a script of another site cannot send, beside the cookie, which it cannot either. */
function requireOwnScript(request: IncomingMessage, own: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== own || (site !== undefined && site !== 'same-origin')) throw foreign()
  requireJson(request)
}

/** Never sent along with a request of another site. Two of one name are nobody's. */
function tokenOf(request: IncomingMessage, page: OperatorPage): string | null {
  const { name: own } = cookieOf(request, page)
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const [only, more] = pairs.filter(([name]) => name === own)
  return more === undefined ? (only?.[1] ?? null) : null
}

/**
 * From afar a cookie of this host, held over https alone. On this machine one of its port, of which cookies know nothing: two servers must not
 * overwrite each other's.
 */
function cookieOf({ socket }: IncomingMessage, { origin }: OperatorPage): { name: string; attributes: string } {
  if (origin !== null) return { name: '__Host-svc-operator', attributes: 'Path=/; Secure' }
  return { name: `svc_operator_${socket.localPort}`, attributes: 'Path=/operator' }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: OperatorAnswer | null,
  page: OperatorPage,
): void {
  if (answer === null) throw refuse('ROUTE_NOT_FOUND', 'There is nothing at this path.')
  const { type, body, token, location } = answer
  if (token !== undefined) {
    const { name, attributes } = cookieOf(request, page)
    const held = `HttpOnly; SameSite=Strict; Max-Age=${token.seconds}`
    response.setHeader('set-cookie', `${name}=${token.value}; ${attributes}; ${held}`)
  }
  if (location !== undefined) response.setHeader('location', location)
  response.writeHead(location === undefined ? 200 : 303, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

function onlyRead({ origin }: OperatorPage): HttpRefusal {
  const [message, allow] =
    origin === null
      ? ['The operator page is read-only here; decide with svc approvals, svc pause and svc resume.', 'GET']
      : ['This method is not served here.', 'GET, POST']
  return refuse('METHOD_NOT_ALLOWED', message, { allow })
}

function foreign(): HttpRefusal {
  return refuse('ORIGIN_NOT_ALLOWED', 'The operator page takes requests of its own pages alone.')
}

const forwarding = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** A decision with what a passkey signed. */
const maxBytes = 16_384
const maxDepth = 8
