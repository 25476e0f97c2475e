import { type Principal, type Scope, scopes, type Policy, serviceScopes } from '@svc/engine'
import * as z from 'zod'
import type { OAuthIssuer, EdgeConfig } from '../../config/config-shape.ts'
import { createTokenStage, type TokenStage, type TokenStageOptions, type Verification } from '../token-stage.ts'
import { createIssuerKeys, type IssuerKey, type IssuerKeys } from './issuer-keys.ts'
import { oauthId } from './protected-resource.ts'
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import { mostSkewMs } from '../sign-in/tokens.ts'

/** The stage of OAuth access tokens (RFC 9068) from authorization servers that the operator named, for this server alone. */
export function createOAuthStage(
  issuers: readonly OAuthIssuer[],
  options: IssuedStageOptions & OAuthPlace,
): TokenStage {
  const pinned = new Map(issuers.map((issuer) => [issuer.issuer, pin(issuer, options)]))
  return createTokenStage<AccessClaims>(
    {
      tokenOf: ({ bearer }) => bearer,
      isMine: (token) => pinned.has(namedIssuer(token) ?? ''),
      async verify(token) {
        const issuer = pinned.get(namedIssuer(token) ?? '')
        const audience = options.audience()
        if (issuer === undefined || audience === null) return { refused: 'The token is not valid here.' }
        const verified = await verifyIssued(token, { ...issuer, audiences: [audience] })
        if ('refused' in verified) return verified
        const claims = accessClaims.safeParse(verified.claims).data
        if (claims === undefined) return { refused: 'The token is no access token (RFC 9068).' }
        options.onVerified(factsOf(claims))
        return { ...verified, claims }
      },
      subjectsOf: (claims) => [oauthId(callerOf(claims))],
      principalOf: (claims): Principal =>
        Object.freeze({
          id: oauthId(callerOf(claims)),
          stage: 'oauth',
          tier: null,
          scopes: scopesOf(claims),
          expiresAt: claims.exp * 1_000,
        }),
    },
    options,
  )
}

type IssuedStageOptions = TokenStageOptions & {
  readonly fetch: typeof fetch
  /** Hears who came, whenever a token was verified; nothing of the token itself. */
  readonly onVerified: (facts: Readonly<Record<string, unknown>>) => void
  /** Hears that the keys of an issuer could not be read. */
  readonly onError: (error: unknown) => void
}

type OAuthPlace = {
  /** Where clients reach `/mcp`; `null` while the server has no address. */
  readonly audience: () => string | null
}

function pin({ issuer, algorithms, keysUrl }: OAuthIssuer, { fetch, now, onError }: IssuedStageOptions) {
  const source = keysUrl === null ? { issuer } : { keysUrl }
  const keys = createIssuerKeys({ source, algorithms, fetch, now, onError })
  return { issuer, algorithms, types: ['at+jwt'], keys, now }
}

function callerOf({ iss: issuer, sub: subject, client_id: client }: AccessClaims) {
  return { issuer, subject, client }
}

/** Those of ours; what else an issuer gives is for others. */
function scopesOf({ scope }: AccessClaims): ReadonlySet<Scope> {
  const given = new Set(scope.split(' '))
  return new Set(scopes.filter((one) => given.has(one)))
}

function factsOf(claims: AccessClaims) {
  const caller = callerOf(claims)
  const expiresAt = new Date(claims.exp * 1_000).toISOString()
  return { principal: oauthId(caller), stage: 'oauth', ...caller, scopes: [...scopesOf(claims)], expiresAt }
}

const name = z.string().min(1).max(512)
const accessClaims = z.object({
  iss: z.string(),
  sub: name,
  client_id: name,
  exp: z.number(),
  scope: z.string().max(4_096).default(''),
})

type AccessClaims = z.output<typeof accessClaims>

/**
 * The stage of machines that an access edge in front of the server let in: it puts a token into a header of its own, which is worth what its
 * signature is worth, whoever sent it. A request with credentials of its own is judged by those alone.
 */
export function createEdgeStage(edge: EdgeConfig, options: IssuedStageOptions): TokenStage {
  const { issuer, keysUrl, audiences, tokenHeader } = edge
  const { fetch, now, onError } = options
  const keys = createIssuerKeys({ source: { keysUrl }, algorithms, fetch, now, onError })
  const pinned = { issuer, algorithms, types: ['', 'jwt'], audiences, keys, now }
  return createTokenStage<EdgeClaims>(
    {
      tokenOf: ({ headers }) => {
        const token = headers[tokenHeader]
        return headers.authorization === undefined && typeof token === 'string' ? token : null
      },
      isMine: () => true,
      async verify(token) {
        if (token.length > mostLength) return { refused: 'The token of the edge is too long.' }
        const verified = await verifyIssued(token, pinned)
        if ('refused' in verified) return verified
        const claims = edgeClaims.safeParse(verified.claims).data
        if (claims === undefined) return { refused: 'The token of the edge is not that of a service.' }
        options.onVerified(edgeFacts(claims))
        return { ...verified, claims }
      },
      subjectsOf: (claims) => [edgeId(claims)],
      principalOf: toPrincipal,
    },
    options,
  )
}

/** The one that such edges sign with. */
const algorithms = ['RS256']
const mostLength = 8_192

/** A service is known by the id of its token at the edge, and has no subject; a person has one. */
const edgeClaims = z.object({
  iss: z.string(),
  sub: z.literal('').optional(),
  common_name: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/),
  exp: z.number(),
})

type EdgeClaims = z.output<typeof edgeClaims>

function edgeId({ common_name: service }: EdgeClaims): string {
  return `edge-access:${service}`
}

function toPrincipal(claims: EdgeClaims, policy: Policy): Principal {
  const scopes = serviceScopes(policy, claims.common_name)
  return Object.freeze({
    id: edgeId(claims),
    stage: 'edge-access',
    tier: null,
    scopes,
    expiresAt: claims.exp * 1_000,
  })
}

function edgeFacts(claims: EdgeClaims) {
  const expiresAt = new Date(claims.exp * 1_000).toISOString()
  return { principal: edgeId(claims), stage: 'edge-access', issuer: claims.iss, expiresAt }
}

/**
 * Verifies a token (JWS, compact) of one issuer elsewhere. What the header may say is pinned: an algorithm and a type of that issuer, and the id
 * of one of its keys, which is looked up among those that it published and is a name, never a place. The issuer may have given the id to another
 * key since it was asked, so a signature that is not by the one known is held against that. The time of a token is over to the second; as to its
 * beginning clocks may differ by a minute.
 */
async function verifyIssued(token: string, issuer: PinnedIssuer): Promise<Verification<JWTPayload>> {
  try {
    const header = headerForm.safeParse(decodeProtectedHeader(token)).data
    if (header === undefined || !issuer.algorithms.includes(header.alg))
      return { refused: 'Tokens of this form are not taken.' }
    if (!issuer.types.includes(shortType(header.typ))) return { refused: 'Tokens of this type are not taken.' }
    const found = await issuer.keys.find(header.kid, header.alg)
    if (found === 'unknown-now') return { refused: 'The keys of its issuer cannot be read now.' }
    if (found === null) return { refused: 'The issuer has no such key.' }
    const verifyBy = async (key: IssuerKey) => {
      const { payload } = await jwtVerify(token, key.key, {
        algorithms: [header.alg],
        issuer: issuer.issuer,
        currentDate: new Date(issuer.now()),
        clockTolerance: mostSkewMs / 1_000,
        requiredClaims: ['exp', 'iat'],
      })
      return judge(payload, issuer, () => !issuer.keys.has(header.kid, header.alg, key))
    }
    return await verifyBy(found).catch(async (error: unknown) => {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      const other = await issuer.keys.findReplacement(header.kid, header.alg, found)
      if (other === null) throw error
      return verifyBy(other)
    })
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { refused: expired }
    return { refused: 'The token is not valid here.' }
  }
}

/** An issuer with what its tokens must be. */
export type PinnedIssuer = {
  readonly issuer: string
  readonly algorithms: readonly string[]
  /** In small letters, without `application/`; empty where a token may have none. */
  readonly types: readonly string[]
  /** Whom a token must be for: one of these, and nobody else. */
  readonly audiences: readonly string[]
  readonly keys: IssuerKeys
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Who a token says it is from, unverified; `null` for what is no token of this form. */
function namedIssuer(token: string): string | null {
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/.test(token)) return null
  try {
    return decodeJwt(token).iss ?? null
  } catch {
    return null
  }
}

/** The last second that a date can be. */
const latestSeconds = 8_640_000_000_000
const expired = 'The token has expired.'

function judge(
  payload: JWTPayload,
  { audiences, now }: PinnedIssuer,
  isKeyGone: () => boolean,
): Verification<JWTPayload> {
  const { aud, exp = 0, iat = Number.POSITIVE_INFINITY, cnf } = payload
  if (exp * 1_000 <= now()) return { refused: expired }
  if (exp > latestSeconds) return { refused: 'The token names an end that is no time.' }
  if (iat * 1_000 > now() + mostSkewMs) return { refused: 'The token is of a time to come.' }
  const [audience, more] = typeof aud === 'string' ? [aud] : (aud ?? [])
  // What holds elsewhere too, whoever serves there could use here.
  if (audience === undefined || more !== undefined || !audiences.includes(audience))
    return { refused: 'The token is not for this server, or not for it alone.' }
  // Proofs of its holder (DPoP, mutual TLS) are not read here; without them, whoever stole it would be taken for him.
  if (cnf !== undefined) return { refused: 'The token is bound to a key of its holder, whose proof is not taken here.' }
  return { claims: payload, expiresAt: exp * 1_000, isKeyGone }
}

/** A header that brings a key, or the way to one, is refused, and so is one that demands what is not understood. */
const headerForm = z.looseObject({
  alg: z.string(),
  kid: z.string().min(1).max(256),
  typ: z.string().optional(),
  jwk: z.never().optional(),
  jku: z.never().optional(),
  x5u: z.never().optional(),
  x5c: z.never().optional(),
  crit: z.never().optional(),
  b64: z.never().optional(),
})

function shortType(typ = ''): string {
  return typ.toLowerCase().replace(/^application\//, '')
}
