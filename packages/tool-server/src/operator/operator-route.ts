import type { IncomingMessage, ServerResponse } from 'node:http'
import { ToolError } from '@svc/amm'
import type { OperatorAnswer } from './operator-acts.ts'
import type { OperatorPage } from './operator-page.ts'
import { linkField, sessionField } from './operator-paths.ts'
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
  const [path = ''] = (request.url ?? '').split('?', 1)
  const token = tokenOf(request, operator)
  track(inFlight, response)
  try {
    if (request.method === 'GET')
      return send(response, await operator.get(path, token, fieldIn(request.headers, linkField)))
    if (request.method !== 'POST' || operator.origin === null) throw onlyRead(operator)
    requireOwnScript(request, operator.origin)
    const parsed = parseJson(await readBoundedBody(request, { bodies }, maxBytes), maxDepth)
    if (!parsed.ok) throw refuse('VALIDATION_FAILED', 'The body is not JSON in UTF-8, or nested too deep.')
    send(response, await operator.post(path, parsed.value, token))
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
    // Another port of this machine is the same site. Nobody has looked at the link yet, so it still opens the page.
    if (['cross-site', 'same-site'].includes(headers['sec-fetch-site'] ?? '')) throw followed()
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

/**
 * From afar a cookie of this host, held over https alone and never sent along with a request of another site; two of one name are nobody's. On this
 * machine a header field that a script of the page sends: browsers send a cookie to every port of a host, whichever account listens there.
 */
function tokenOf({ headers }: IncomingMessage, { origin }: OperatorPage): string | null {
  if (origin === null) return fieldIn(headers, sessionField)
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const [only, more] = pairs.filter(([name]) => name === cookieName)
  return more === undefined ? (only?.[1] ?? null) : null
}

function fieldIn(headers: IncomingMessage['headers'], name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

function send(response: ServerResponse, answer: OperatorAnswer | null): void {
  if (answer === null) throw refuse('ROUTE_NOT_FOUND', 'There is nothing at this path.')
  const { type, body, token } = answer
  if (token !== undefined) {
    const held = `Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${token.seconds}`
    response.setHeader('set-cookie', `${cookieName}=${token.value}; ${held}`)
  }
  response.writeHead(200, {
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

function followed(): HttpRefusal {
  const suggestion = 'Copy the link that svc status --page prints, and paste it into the address bar of a new tab.'
  return new HttpRefusal(
    new ToolError('ORIGIN_NOT_ALLOWED', 'The operator page is not opened from another page.', { suggestion }),
  )
}

const cookieName = '__Host-svc-operator'

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
