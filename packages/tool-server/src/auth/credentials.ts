import { hash, timingSafeEqual } from 'node:crypto'
import { type KeyTier, type Principal, type Scope, scopes } from '@svc/engine'
import type { Stage } from './authenticate.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import type { Config } from '../config/config-shape.ts'
import { appendEnvFile, envFilePath } from '../config/env-file.ts'
import { Secret } from '@svc/wallet/core'

/**
 * The stage of three-tier API keys. The `svc_` prefix chooses this verifier; the rights are those of the key that matches. Nobody has the tier
 * of a key that is missing.
 */
export function apiKeyStage(keys: Readonly<Record<KeyTier, string | undefined>>): Stage {
  const known = keyTiers.flatMap((tier) => knownKey(tier, keys[tier]))
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

function knownKey(tier: KeyTier, key: string | undefined): readonly KnownKey[] {
  if (key === undefined) return []
  const keyDigest = digest(key)
  const principal: Principal = Object.freeze({
    id: principalId('api-key', key),
    stage: 'api-key',
    tier,
    scopes: scopesOfTier[tier],
    expiresAt: null,
  })
  return [{ digest: keyDigest, principal }]
}

type KnownKey = { readonly digest: Buffer; readonly principal: Principal }

const scopesOfTier: Readonly<Record<KeyTier, ReadonlySet<Scope>>> = {
  read: new Set<Scope>(['read:market', 'read:portfolio']),
  feedback: new Set<Scope>(['read:market', 'read:portfolio', 'feedback']),
  write: new Set<Scope>(scopes),
}

/** SHA-256 of a credential: the only form in which credentials are kept. */
function digest(credential: string): Buffer {
  return hash('sha256', credential, 'buffer')
}

/** Compares two digests in constant time. */
function sameDigest(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The id of whoever holds a key or token: stable, and free of it. */
export function principalId(stage: 'api-key' | 'bearer', secret: string): string {
  return `${stage}:${digest(secret).toString('hex').slice(0, 16)}`
}

/** The stage of the static bearer token (`MCP_AUTH_TOKEN`), which grants every scope. Other tokens are left to later stages. */
export function bearerStage(token: string): Stage {
  const known = digest(token)
  const principal: Principal = Object.freeze({
    id: principalId('bearer', token),
    stage: 'bearer',
    tier: null,
    scopes: new Set(scopes),
    expiresAt: null,
  })
  return ({ bearer }) => (bearer !== null && sameDigest(known, digest(bearer)) ? principal : null)
}

/**
 * Whether credentials like those a principal once came with would be taken now: its key or token is still one of the
 * server's, or its token was not revoked and may still be had for as much as it was. Whoever starts the process over stdio needs none. A stage that this server does
 * not have is not in force.
 */
export function isInForce(
  principal: Pick<Principal, 'id' | 'stage' | 'scopes' | 'agentId' | 'tokenId'>,
  credentials: Credentials,
  signIn?: Pick<SignIn, 'isInForce'> | null,
): boolean {
  if (principal.stage === 'local') return true
  if (principal.stage === 'bearer') {
    return credentials.token !== null && principal.id === principalId('bearer', credentials.token)
  }
  if (principal.stage === 'api-key') {
    return credentials.apiKeys.some((key) => principal.id === principalId('api-key', key))
  }
  return signIn?.isInForce(principal) ?? false
}

/** What the server takes from callers now, in the clear. */
export type Credentials = { readonly apiKeys: readonly string[]; readonly token: string | null }

/** Those in force: over stdio nobody has made keys, and those of the configuration stand. */
export function credentialsOf({ auth }: Pick<Config, 'auth'>, keys: ApiKeys | null): Credentials {
  const { read, feedback, write } = keys ?? auth.apiKeys
  const apiKeys = [read, feedback, write].flatMap((key) => (key === null ? [] : [key.reveal()]))
  return { apiKeys, token: auth.token?.reveal() ?? null }
}

/** A key for every tier. */
export type ApiKeys = Readonly<Record<KeyTier, Secret>>

/** The setting that holds the key of a tier. */
export function apiKeySetting(tier: KeyTier): string {
  return `SVC_API_KEY_${tier.toUpperCase()}`
}

/**
 * Makes the API keys that the configuration lacks (256 random bits each) and appends them to the data directory's
 * environment file, so that the next start finds them there. Throws a `ConfigError` when that file is unsafe.
 */
export function provisionKeys(
  config: Pick<Config, 'auth' | 'dataDir'>,
  randomBytes: (size: number) => Uint8Array,
): ApiKeys {
  const made = new Map<string, string>()
  const keyOf = (tier: KeyTier): Secret => {
    const given = config.auth.apiKeys[tier]
    if (given !== null) return given
    const key = apiKeyFrom(tier, randomBytes(32))
    made.set(apiKeySetting(tier), key)
    return new Secret(key)
  }
  const keys = { read: keyOf('read'), feedback: keyOf('feedback'), write: keyOf('write') }
  if (made.size > 0) appendEnvFile(envFilePath(config.dataDir), Object.fromEntries(made))
  return keys
}
