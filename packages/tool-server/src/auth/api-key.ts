import { digest, sameDigest } from './digest.ts'
import { type KeyTier, type Principal, type Scope, scopes } from '@svc/engine'
import { principalId } from './principal-id.ts'
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
