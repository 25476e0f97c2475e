import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '@svc/engine'
import type { ProtectedResource } from './issued/protected-resource.ts'

/** The principal, or why there is none: nothing was sent, or what was sent is refused. */
export type Authentication =
  | { readonly principal: Principal }
  | { readonly principal: null; readonly reason: 'missing' }
  | { readonly principal: null; readonly reason: 'refused'; readonly description: string }

/**
 * Asks the stages in order; the first that recognises the credentials decides. `heard` hears how each request was taken, at the first look at
 * it: not `again`, when the rest of it has come.
 */
export function createAuthenticate(
  stages: readonly Stage[],
  now: () => number,
  heard?: (found: Authentication) => void,
): Authenticate {
  const authenticate = async (headers: IncomingHttpHeaders): Promise<Authentication> => {
    const bearer = bearerToken(headers.authorization)
    for (const stage of stages) {
      const outcome = await stage({ bearer, headers })
      if (outcome === null) continue
      if (isRefusal(outcome)) return { principal: null, reason: 'refused', description: outcome.refused }
      if (outcome.expiresAt !== null && outcome.expiresAt <= now()) return refused('The credentials have expired.')
      return { principal: outcome }
    }
    if (headers.authorization === undefined) return { principal: null, reason: 'missing' }
    return refused(bearer === null ? 'The Authorization header is not "Bearer <token>".' : 'The token is not valid.')
  }
  if (heard === undefined) return authenticate
  return async (headers, look) => {
    const found = await authenticate(headers)
    if (look !== 'again') heard(found)
    return found
  }
}

export type Authenticate = (headers: IncomingHttpHeaders, look?: 'again') => Promise<Authentication>

/**
 * The challenge of RFC 6750 section 3: no error code when no credentials were sent, `invalid_token` otherwise; where there are authorization
 * servers, the way to them (RFC 9728).
 */
export function challengeHeader(
  authentication: Exclude<Authentication, { principal: Principal }>,
  resource: Pick<ProtectedResource, 'challenge'> | null = null,
): string {
  const members = ['realm="mcp"']
  if (authentication.reason === 'refused') {
    members.push('error="invalid_token"', `error_description="${quotable(authentication.description)}"`)
  }
  if (resource !== null) members.push(resource.challenge())
  return `Bearer ${members.join(', ')}`
}

/** As a quoted string of a header. */
export function quotable(text: string): string {
  return text.replace(/["\\]/g, "'")
}

function bearerToken(header: string | undefined): string | null {
  if (header === undefined || header.length > maxHeaderLength) return null
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1] ?? null
}

const maxHeaderLength = 8_192

function refused(description: string): Authentication {
  return { principal: null, reason: 'refused', description }
}

function isRefusal(outcome: StageOutcome): outcome is Refusal {
  return outcome !== null && 'refused' in outcome
}

/**
 * One way of finding out who calls. A stage answers with a principal, with a refusal when the credentials are of its own
 * kind and wrong (no later stage is asked then), or with `null` when they are none of its business.
 */
export type Stage = (facts: RequestFacts) => StageOutcome | Promise<StageOutcome>

type RequestFacts = {
  /** The token of `Authorization: Bearer <token>`, or `null`. */
  readonly bearer: string | null
  readonly headers: IncomingHttpHeaders
}

type StageOutcome = Principal | Refusal | null

/** A fixed sentence of ours; nothing of what the caller sent. */
type Refusal = { readonly refused: string }
