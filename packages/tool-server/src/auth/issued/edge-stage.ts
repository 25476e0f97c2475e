import { type Policy, type Principal, serviceScopes } from '@svc/engine'
import * as z from 'zod'
import type { EdgeConfig } from '../../config/config-shape.ts'
import { createTokenStage, type TokenStage } from '../token-stage.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import type { IssuedStageOptions } from './oauth-stage.ts'
import { verifyIssued } from './verify-issued.ts'

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
        const claims = claimsForm.safeParse(verified.claims).data
        if (claims === undefined) return { refused: 'The token of the edge is not that of a service.' }
        options.onVerified(factsOf(claims))
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
const claimsForm = z.object({
  iss: z.string(),
  sub: z.literal('').optional(),
  common_name: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/),
  exp: z.number(),
})

type EdgeClaims = z.output<typeof claimsForm>

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

function factsOf(claims: EdgeClaims) {
  const expiresAt = new Date(claims.exp * 1_000).toISOString()
  return { principal: edgeId(claims), stage: 'edge-access', issuer: claims.iss, expiresAt }
}
