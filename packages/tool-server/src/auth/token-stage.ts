import type { Policy, Principal } from '@svc/engine'
import type { Stage } from './authenticate.ts'
import { hash } from 'node:crypto'

/**
 * The stage of one kind of tokens, whoever issued them. A signature is verified once in ten minutes; with every call the token is held against
 * what has changed since: revocations, by their epoch, and the policy, by whether it is still the same.
 */
export function createTokenStage<Claims>(
  verifier: TokenVerifier<Claims>,
  { state, policies, now }: TokenStageOptions,
): TokenStage {
  const verified = createVerifiedTokens<Verified<Claims>>(now)
  const tokenOf = new WeakMap<Principal, Token<Claims>>()
  const isRevoked = ({ claims }: Token<Claims>) =>
    verifier.subjectsOf(claims).some((subject) => state.isRevoked(subject))

  function principalOf(token: Token<Claims>, policy: Policy): Principal {
    const principal = verifier.principalOf(token.claims, policy)
    tokenOf.set(principal, token)
    return principal
  }

  function judge(found: Verified<Claims>): Principal | { readonly refused: string } {
    if (!state.isFresh()) return { refused: 'It cannot be found out now whether the token was revoked.' }
    if (found.epoch !== state.epoch()) {
      if (isRevoked(found)) return { refused: 'The token was revoked.' }
      found.epoch = state.epoch()
    }
    if (found.isKeyGone()) return { refused: 'The key that signed the token is not accepted any more.' }
    const policy = policies.latest()
    if (found.policy !== policy) Object.assign(found, { policy, principal: principalOf(found, policy) })
    return found.principal
  }

  async function verifyAnew(token: string) {
    const outcome = await verifier.verify(token)
    if ('refused' in outcome) return outcome
    const { claims, expiresAt, isKeyGone } = outcome
    const policy = policies.latest()
    const knownUntil = Math.min(expiresAt, now() + knownForMs)
    const principal = principalOf({ claims, isKeyGone }, policy)
    const fresh = { claims, isKeyGone, expiresAt: knownUntil, epoch: neverHeldAgainst, policy, principal }
    verified.keep(token, fresh)
    return judge(fresh)
  }

  return {
    stage(facts) {
      const token = verifier.tokenOf(facts)
      if (token === null) return null
      const found = verified.find(token)
      if (found !== null) return judge(found)
      return verifier.isMine(token) ? verifyAnew(token) : null
    },
    isRevoked: (principal) => {
      const token = tokenOf.get(principal)
      return token !== undefined && (isRevoked(token) || token.isKeyGone())
    },
  }
}

/** What is peculiar to the tokens of one kind. */
export type TokenVerifier<Claims> = {
  /** The token of a request, where such a request may carry one. */
  tokenOf(facts: Parameters<Stage>[0]): string | null
  /** Whether a token is for this verifier to judge, whatever is wrong with it. */
  isMine(token: string): boolean
  /** Never rejects: whatever is wrong, with the token or with what it takes to know, is a refusal. */
  verify(token: string): Promise<Verification<Claims>>
  /** Under which names it may have been revoked. */
  subjectsOf(claims: Claims): readonly string[]
  principalOf(claims: Claims, policy: Policy): Principal
}

/** `expiresAt` in Unix milliseconds; `refused` is a fixed sentence of ours. */
export type Verification<Claims> = (Token<Claims> & { readonly expiresAt: number }) | { readonly refused: string }

type Token<Claims> = {
  readonly claims: Claims
  /** Whether the key that signed it is not accepted any more, as far as is known now: nothing is waited for. */
  readonly isKeyGone: () => boolean
}

export type TokenStage = {
  readonly stage: Stage
  /** Whether the token that made a principal was revoked since, or its key taken out; false for principals of other stages. */
  readonly isRevoked: (principal: Principal) => boolean
}

export type TokenStageOptions = {
  readonly state: Revocations
  readonly policies: { latest(): Policy }
  /** Unix milliseconds. */
  readonly now: () => number
}

export type Revocations = {
  /** Grows when anything changes that a verified token has to be held against again. */
  epoch(): number
  isRevoked(subject: string): boolean
  /** False where the state could not be read for so long that a revocation may have been missed. */
  isFresh(): boolean
}

/** A token whose signature holds, with what it comes to now. */
type Verified<Claims> = Token<Claims> & {
  /** When its signature is to be verified again, at the end of the token at the latest. */
  readonly expiresAt: number
  /** Of the revocations that it was last held against. */
  epoch: number
  /** Under which the principal was made. */
  policy: Policy
  principal: Principal
}

const neverHeldAgainst = -1
/** Then it is verified again: a key that its issuer withdrew, because it was stolen, must not sign for years. */
const knownForMs = 10 * 60_000

/**
 * What is known of tokens whose signature was verified, by their digest: a call with one that was seen before costs a digest, as one with a key
 * does. Each is forgotten when its time is over; of too many the one that was used longest ago. Those at the front, which were not used for long, make
 * room as new ones come, so that no more are held than came within the time of one.
 */
export function createVerifiedTokens<Known extends { readonly expiresAt: number }>(
  now: () => number,
  mostTokens = 10_000,
): VerifiedTokens<Known> {
  const known = new Map<string, Known>()
  return {
    find(token) {
      const digest = digestOf(token)
      const found = known.get(digest)
      if (found === undefined) return null
      known.delete(digest)
      if (found.expiresAt <= now()) return null
      known.set(digest, found)
      return found
    },
    keep(token, verified) {
      for (const [digest, { expiresAt }] of known) {
        if (expiresAt > now()) break
        known.delete(digest)
      }
      known.set(digestOf(token), verified)
      if (known.size > mostTokens) known.delete(known.keys().next().value ?? '')
    },
    size: () => known.size,
  }
}

export type VerifiedTokens<Known> = {
  find(token: string): Known | null
  keep(token: string, verified: Known): void
  size(): number
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}
