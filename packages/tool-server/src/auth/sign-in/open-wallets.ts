import { randomBytes } from 'node:crypto'
import { registryOf, type Policy, type Principal, signInScopes } from '@svc/engine'
import { type TokenStage, createTokenStage, type TokenStageOptions } from '../token-stage.ts'
import { createAdmit } from './admit.ts'
import { createNonces, nonceLifeMs } from './nonces.ts'
import type { WalletSignIn, SignInOptions, WalletPlace } from './sign-in.ts'
import type { SignInKnowledge } from './sign-in-state.ts'
import { type TokenClaims, isOwnToken, keyIdOf, type TokenPlace, verifyToken } from './tokens.ts'

/** Sign-in with a wallet over the state that replicas share; `url` is where clients reach `/mcp`, `null` while that is not known. */
export async function openWallets(
  { chain, client }: WalletPlace,
  { state, url, ...options }: SignInOptions & { readonly state: SignInKnowledge; readonly url: () => string | null },
): Promise<{ readonly signIn: WalletSignIn; readonly tokens: TokenStage }> {
  const { signIns, policies, now, log } = options
  const registry = registryOf(chain)?.address
  if (registry === undefined) throw new TypeError(`${chain.name} has no identity registry.`)
  const place = () => {
    const at = url()
    if (at === null) return null
    const { origin, host } = new URL(at)
    return { issuer: origin, audience: at, domain: host }
  }
  const placed = () => {
    const at = place()
    if (at === null) throw new TypeError('The server has no address yet.')
    return at
  }
  const secret = await signIns.sharedSecret(randomBytes(32).toString('hex'))
  const nonces = createNonces({ secret, now, place: () => `${placed().audience} ${chain.id}` })
  const asked = () => ({ domain: placed().domain, uri: placed().audience, chainId: chain.id, statement })
  const admit = createAdmit({
    signIns,
    policies,
    now,
    client,
    chain,
    onClockOff: (facts) => log.warn('sign-in.clock-off', facts),
    nonces,
    state,
    registry,
    expected: () => ({ ...asked(), registry }),
    place: placed,
    onAdmitted: async (claims) => {
      await options.audit({ event: 'auth.signed-in', ...factsOf(claims) })
      log.info('auth.signed-in', factsOf(claims))
    },
  })
  const signIn: WalletSignIn = {
    challenge() {
      const { nonce, expiresAt } = nonces.issue()
      const times = { issuedAt: iso(expiresAt - nonceLifeMs), expirationTime: iso(expiresAt) }
      return { type: 'siwe', nonce, ...asked(), version: '1', ...times } as const
    },
    admit,
    jwks: () => state.keys.jwks(),
  }
  return { signIn, tokens: createSignInStage({ state, policies, now, place }) }
}

/** What a wallet shows a person beside the names. */
const statement = 'Sign in to this tool server. This moves nothing and approves nothing of this wallet.'

/** Who it is and what was given, and the name of the token, by which it can be revoked. */
function factsOf({ sub, agentId, role, tier, scopes, jti, exp }: TokenClaims) {
  const expiresAt = iso(exp * 1_000)
  return { actor: { principal: sub, stage: 'siwe', tier: null }, agentId, role, tier, scopes, jti, expiresAt }
}

function iso(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

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
