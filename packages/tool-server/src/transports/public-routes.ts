import type { IncomingMessage, ServerResponse } from 'node:http'
import { ToolError } from '@svc/amm'
import { rateLimitHeaders } from '@svc/runtime'
import { challengeHeader } from '../auth/authenticate.ts'
import { HttpRefusal, sendJson } from './answers.ts'
import { parseJson } from './json-body.ts'
import {
  answerPreflight,
  challengeOf,
  maxDepth,
  readBoundedBody,
  refuse,
  type RequestContext,
  requireBudget,
  requireJson,
  track,
} from './request-stages.ts'

/** Where wallets sign in, the keys of their tokens, and the way to authorization servers. Whoever asks is not known yet, so each request counts against their address. */
export async function answerSignInRoute(
  route: 'sign-in' | 'keys' | 'resource',
  { request, response, address }: Asked,
  { signIn, limits, onRefused, inFlight, bodies }: RequestContext,
): Promise<void> {
  if (request.method === 'OPTIONS') return answerPreflight(response)
  const { unauthenticated } = limits
  const left = rateLimitHeaders(unauthenticated, await requireBudget(unauthenticated, address))
  const [wallets, resource] = [signIn?.wallets ?? null, signIn?.resource ?? null]
  if (route === 'resource' && resource !== null)
    return answerJson(request, response, { json: resource.metadata(), left })
  if (wallets === null) throw new TypeError('There is no sign-in.')
  if (route === 'keys') return answerJson(request, response, { json: wallets.jwks(), left })
  if (request.method !== 'POST')
    throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: 'POST' })
  requireJson(request)
  const parsed = parseJson(await readBoundedBody(request, { bodies }, maxSignInBytes), maxDepth)
  if (!parsed.ok) throw refuse('VALIDATION_FAILED', 'The body is not JSON in UTF-8, or nested deeper than 32 levels.')
  track(inFlight, response)
  const answer = await wallets.admit(parsed.value).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error
    if (error.code !== 'SIGN_IN_REFUSED') throw new HttpRefusal(error)
    onRefused?.('refused', address)
    const challenge = challengeHeader({ principal: null, reason: 'missing' }, resource)
    const headers = { 'www-authenticate': challenge, ...left }
    throw new HttpRefusal(error, headers, challengeOf(signIn))
  })
  sendJson(response, 200, JSON.stringify(answer), { 'cache-control': 'no-store', ...left })
}

/** A message and a signature at their longest, with all that JSON may escape. */
const maxSignInBytes = 65_536

type Asked = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly address: string }

function answerJson(
  request: IncomingMessage,
  response: ServerResponse,
  { json, left }: { readonly json: string; readonly left: Readonly<Record<string, string>> },
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: 'GET, HEAD' })
  }
  // For as long as a key is there before anything is signed with it that others are to verify.
  sendJson(response, 200, json, { 'cache-control': 'public, max-age=60', vary: 'Origin', ...left })
}

/** Answers where something stands that everybody may read, and says whether it did. Whoever asks is unknown: it counts against their address. */
export async function answerDocument(
  { request, response, address }: DocumentAsked,
  { documents, limits }: Pick<RequestContext, 'documents' | 'limits'>,
): Promise<boolean> {
  const document = documents.get(request.url?.split('?', 1)[0] ?? '')
  if (document === undefined) return false
  if (request.method === 'OPTIONS') {
    answerPreflight(response)
    return true
  }
  const left = await requireBudget(limits.unauthenticated, address)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: 'GET, HEAD' })
  }
  sendJson(response, 200, document(), {
    'cache-control': 'public, max-age=300',
    vary: 'Origin',
    ...rateLimitHeaders(limits.unauthenticated, left),
  })
  return true
}

type DocumentAsked = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly address: string }
