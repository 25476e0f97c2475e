import { type Principal, type Scope, scopes } from '@svc/engine'
import * as z from 'zod'
import type { OAuthIssuer } from '../../config/config-shape.ts'
import { createTokenStage, type TokenStage, type TokenStageOptions } from '../token-stage.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { oauthId } from './oauth-id.ts'
import { namedIssuer, verifyIssued } from './verify-issued.ts'

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
        const claims = claimsForm.safeParse(verified.claims).data
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

export type IssuedStageOptions = TokenStageOptions & {
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
const claimsForm = z.object({
  iss: z.string(),
  sub: name,
  client_id: name,
  exp: z.number(),
  scope: z.string().max(4_096).default(''),
})

type AccessClaims = z.output<typeof claimsForm>
