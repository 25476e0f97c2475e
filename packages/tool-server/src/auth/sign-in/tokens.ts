import { randomUUID } from 'node:crypto'
import { type Scope, scopes, type SignedIn } from '@svc/engine'
import {
  decodeJwt,
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { type Address, isAddress } from 'viem'
import * as z from 'zod'
import type { PublishedKey, SignIns } from '@svc/store'

/** What a token says of a wallet, as it was found to be and for what it may do: for this server, or all replicas of it, alone. */
export function claimsOf(
  { place, issuedAt }: { readonly place: TokenPlace; readonly issuedAt: number },
  caller: SignedIn & { readonly scopes: ReadonlySet<Scope> },
): TokenClaims {
  const granted = [...caller.scopes]
  return {
    agentId: caller.agentId,
    address: caller.address as Address,
    role: caller.role,
    tier: tierOf(granted),
    scopes: granted,
    iss: place.issuer,
    aud: place.audience,
    sub: `siwe:${caller.address}`,
    jti: randomUUID(),
    iat: Math.floor(issuedAt / 1_000),
    exp: Math.floor(issuedAt / 1_000) + tokenLifeSeconds,
  }
}

/** As a token (ES256). */
export function signToken(claims: TokenClaims, key: SigningKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: tokenType }).sign(key.privateKey)
}

/** Whether a bearer token names this server as its issuer, so that it is for this stage to judge, whatever is wrong with it. */
export function isOwnToken(token: string, { issuer }: TokenPlace): boolean {
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/.test(token)) return false
  try {
    return decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/** What the header of a token names as its key; empty where it names none. */
export function keyIdOf(token: string): string {
  try {
    return decodeProtectedHeader(token).kid ?? ''
  } catch {
    return ''
  }
}

/**
 * The claims of a token of ours; `null` for every other. The key is looked up among those published by servers of this state, by nothing else
 * than its id: a header that brings a key, an address of keys, or anything beside the three members of ours, is refused.
 */
export async function verifyToken(token: string, { keys, place, now }: Verifying): Promise<TokenClaims | null> {
  try {
    const header = headerForm.parse(decodeProtectedHeader(token))
    const key = keys.find(header.kid)
    if (key === null) return null
    const { issuer, audience } = place
    const currentDate = new Date(now())
    const checks = { algorithms: ['ES256'], typ: tokenType, issuer, audience, currentDate, clockTolerance: 0 }
    const { payload } = await jwtVerify(token, key, checks)
    const claims = claimsForm.parse(payload)
    const isOfNow = claims.iat * 1_000 <= now() + mostSkewMs && claims.exp - claims.iat <= tokenLifeSeconds
    return isOfNow && claims.sub === `siwe:${claims.address}` ? claims : null
  } catch {
    return null
  }
}

export type Verifying = {
  readonly keys: VerificationKeys
  readonly place: TokenPlace
  /** Unix milliseconds. */
  readonly now: () => number
}

/** For whom tokens are, and from whom. */
export type TokenPlace = {
  /** Origin of the server. */
  readonly issuer: string
  /** Where its `/mcp` is. */
  readonly audience: string
}

export type TokenClaims = z.output<typeof claimsForm>

export const tokenLifeSeconds = 15 * 60

/** By how much the clocks of replicas may differ. It makes no token last longer: of its end each clock decides alone. */
export const mostSkewMs = 60_000

const tokenType = 'at+jwt'
const headerForm = z.strictObject({ alg: z.literal('ES256'), kid: z.string(), typ: z.literal(tokenType) })
const claimsForm = z.strictObject({
  agentId: z.string().nullable(),
  address: z.custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: true })),
  role: z.enum(['vault_participant', 'vault_manager', 'vault_creator']).nullable(),
  tier: z.enum(['read', 'feedback', 'write']),
  scopes: z.array(z.enum(scopes)),
  iss: z.string(),
  aud: z.string(),
  sub: z.string(),
  jti: z.uuid(),
  iat: z.int(),
  exp: z.int(),
})

/** The tier of keys that comes closest. What the caller may do, its scopes alone decide. */
function tierOf(granted: readonly Scope[]): 'read' | 'feedback' | 'write' {
  if (granted.some((scope) => scope.startsWith('write:') || scope.startsWith('admin:'))) return 'write'
  return granted.includes('feedback') ? 'feedback' : 'read'
}

/**
 * The keys of tokens. Each server makes its own (P-256), keeps the private one in its memory, where nothing can read it out again, and publishes the
 * public one, by which all servers on the same state take its tokens: also after it was restarted, or has changed its key.
 */
export async function makeSigningKey(signIns: Pick<SignIns, 'publishKey'>, acceptedUntil: number): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: false })
  const { kty, crv, x, y } = await exportJWK(publicKey)
  const jwk = { kty, crv, x, y } as JWK
  const kid = await calculateJwkThumbprint(jwk)
  const publicJwk = JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' })
  await signIns.publishKey({ kid, publicJwk, acceptedUntil })
  return { kid, privateKey, publicJwk }
}

export type SigningKey = {
  readonly kid: string
  readonly privateKey: CryptoKey
  /** JSON, as published. */
  readonly publicJwk: string
}

/** Public keys as they were published, those whose time is over left out. Imports each once. */
export function createVerificationKeys(
  now: () => number,
): VerificationKeys & { update(keys: readonly PublishedKey[]): Promise<void> } {
  let known = new Map<string, KnownKey>()
  const isAccepted = ({ acceptedUntil }: PublishedKey) => acceptedUntil > now()
  return {
    find(kid) {
      const found = known.get(kid)
      return found !== undefined && isAccepted(found) ? found.key : null
    },
    jwks() {
      const keys = [...known.values()].filter(isAccepted).map(({ publicJwk }) => JSON.parse(publicJwk) as JWK)
      return JSON.stringify({ keys })
    },
    async update(keys) {
      const fresh = keys.map(async (published): Promise<readonly [string, KnownKey]> => {
        const key = known.get(published.kid)?.key ?? (await importKey(published))
        return [published.kid, { ...published, key }]
      })
      known = new Map(await Promise.all(fresh))
    },
  }
}

export type VerificationKeys = {
  /** `null` for an id under which no key is accepted. */
  find(kid: string): CryptoKey | null
  /** As JSON (RFC 7517). */
  jwks(): string
}

type KnownKey = PublishedKey & { readonly key: CryptoKey }

async function importKey({ publicJwk }: PublishedKey): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(publicJwk) as JWK, 'ES256')
  if (key instanceof Uint8Array) throw new TypeError('A published key is none of a key pair.')
  return key
}
