import { createHash, timingSafeEqual } from 'node:crypto'
import { type KeyTier, type Principal, type Scope, scopes } from '@svc/engine'
import type { Stage } from './stage.ts'

/** The stage of three-tier API keys. The `svc_` prefix chooses this verifier; the rights are those of the key that matches. */
export function apiKeyStage(keys: Readonly<Record<KeyTier, string>>): Stage {
  const known = keyTiers.map((tier) => knownKey(tier, keys[tier]))
  return ({ bearer }) => {
    if (bearer === null || !bearer.startsWith('svc_')) return null
    const offered = digest(bearer)
    let match: Principal | null = null
    for (const key of known) if (sameDigest(key.digest, offered)) match = key.principal
    return match ?? { refused: 'The key is not known to this server.' }
  }
}

export const keyTiers: readonly KeyTier[] = ['read', 'feedback', 'write']

/** What a key of a tier looks like: its prefix and 256 random bits in base64url. */
export function apiKeyFrom(tier: KeyTier, random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('A key takes 32 random bytes.')
  return `svc_${tier}_${Buffer.from(random).toString('base64url')}`
}

function knownKey(tier: KeyTier, key: string): { readonly digest: Buffer; readonly principal: Principal } {
  const keyDigest = digest(key)
  const principal: Principal = Object.freeze({
    id: principalId('api-key', key),
    stage: 'api-key',
    tier,
    scopes: scopesOfTier[tier],
    expiresAt: null,
  })
  return { digest: keyDigest, principal }
}

const scopesOfTier: Readonly<Record<KeyTier, ReadonlySet<Scope>>> = {
  read: new Set<Scope>(['read:market', 'read:portfolio']),
  feedback: new Set<Scope>(['read:market', 'read:portfolio', 'feedback']),
  write: new Set<Scope>(scopes),
}

/** SHA-256 of a credential: the only form in which credentials are kept. */
export function digest(credential: string): Buffer {
  return createHash('sha256').update(credential).digest()
}

/** Compares two digests in constant time. */
export function sameDigest(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The id of whoever holds a key or token: stable, and free of it. */
export function principalId(stage: 'api-key' | 'bearer', secret: string): string {
  return `${stage}:${digest(secret).toString('hex').slice(0, 16)}`
}
