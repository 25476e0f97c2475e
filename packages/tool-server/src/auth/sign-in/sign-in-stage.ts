import { type Policy, type Principal, signInScopes } from '@svc/engine'
import { createTokenStage, type TokenStage, type TokenStageOptions } from '../token-stage.ts'
import type { SignInKnowledge } from './sign-in-state.ts'
import { isOwnToken, keyIdOf, type TokenClaims, type TokenPlace, verifyToken } from './tokens.ts'

/** The stage of tokens that this server, or a replica of it, issued. */
export function createSignInStage(options: SignInStageOptions): TokenStage {
  const { state, place, now } = options
  return createTokenStage<TokenClaims>(
    {
      tokenOf: ({ bearer }) => (place() === null ? null : bearer),
      isMine: (token) => {
        const at = place()
        return at !== null && isOwnToken(token, at)
      },
      async verify(token) {
        const at = place()
        // A replica may have published it a moment ago; an attacker who makes ids up waits for it, and costs nothing else.
        const kid = keyIdOf(token)
        if (state.keys.find(kid) === null) await state.nextLook()
        const claims = at === null ? null : await verifyToken(token, { keys: state.keys, place: at, now })
        if (claims === null) return { refused: 'The token is not valid here, or its time is over.' }
        return { claims, expiresAt: claims.exp * 1_000, isKeyGone: () => state.keys.find(kid) === null }
      },
      subjectsOf: ({ jti, address }) => [`jti:${jti}`, `address:${address}`],
      principalOf: toPrincipal,
    },
    options,
  )
}

export type SignInStageOptions = TokenStageOptions & {
  readonly state: Pick<SignInKnowledge, 'keys' | 'nextLook'>
  /** `null` while the server has no address. */
  readonly place: () => TokenPlace | null
}

/** What was granted at the sign-in, as far as the policy grants it still. */
function toPrincipal(claims: TokenClaims, policy: Policy): Principal {
  const { address, agentId, role } = claims
  const granted = signInScopes(policy, { address, agentId, role })
  return Object.freeze({
    id: claims.sub,
    stage: 'siwe',
    tier: null,
    scopes: new Set(claims.scopes.filter((scope) => granted.has(scope))),
    expiresAt: claims.exp * 1_000,
    ...(agentId !== null && { agentId }),
    tokenId: claims.jti,
  })
}
