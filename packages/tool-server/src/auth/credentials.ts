import { hash, timingSafeEqual, randomBytes } from 'node:crypto'
import { type KeyTier, type Principal, type Scope, scopes, type RoleFacts, type SharedKeys } from '@svc/engine'
import type { Stage } from './authenticate.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import { type Config, ConfigError, type ConfigProblem } from '../config/config-shape.ts'
import { appendEnvFile, envFilePath, readEnvFile } from '../config/env-file.ts'
import { Secret } from '@svc/wallet/core'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'

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

/**
 * The API keys that a server on these settings takes, for commands beside it: the environment's over those in the data
 * directory's environment file. Makes none. Throws a `ConfigError` for an unsafe environment file.
 */
export function readOperatorKeys(environment: Readonly<Record<string, string | undefined>>): OperatorKeys {
  const file = envFilePath(resolve(environment['SVC_DATA_DIR'] || '.svc'))
  const written = readEnvFile(file)
  const keys = keyTiers.flatMap((tier): OperatorKey[] => {
    const setting = apiKeySetting(tier)
    const given = environment[setting] || null
    const key = given ?? (written[setting] || null)
    if (key === null) return []
    const from = given === null ? file : 'environment'
    return [{ name: tier, setting, caller: principalId('api-key', key), from, key: new Secret(key) }]
  })
  return { file, keys }
}

export type OperatorKeys = {
  /** Where keys are kept that the environment does not name. */
  readonly file: string
  readonly keys: readonly OperatorKey[]
}

export type OperatorKey = {
  readonly name: KeyTier
  readonly setting: string
  /** Its fingerprint: the id by which policy, approvals and audit log name whoever holds it. */
  readonly caller: string
  /** Path of the file, or `environment`. */
  readonly from: string
  readonly key: Secret
}

/**
 * The API keys of a server: those of the configuration, and what it lacks is made. Servers of one database take the same, whoever of them
 * leads: the leader says which by their digests, and one that follows waits for those, serves with no others and makes none. Throws
 * `ConfigError` `API_KEYS_DIFFER`, and `API_KEYS_UNKNOWN` where the leader has said nothing in time.
 */
export async function agreeOnKeys(config: Config, write: KeysOwner | null, waiting: Waiting = {}): Promise<ApiKeys> {
  const shared = write?.sharedKeys ?? null
  if (shared === null) return provisionKeys(config, randomBytes)
  const { forMs = longestMs, signal } = waiting
  const until = performance.now() + forMs
  for (;;) {
    // One that loses the lead in between asks again.
    if (write?.role?.().role === 'leader') {
      const keys = provisionKeys(config, randomBytes)
      if (await shared.keep(JSON.stringify(digestsOf(keys)))) return keys
    }
    const said = await shared.read()
    if (said !== null) return keysBeside(config, keptDigests.parse(JSON.parse(said)), shared)
    if (performance.now() > until) throw new ConfigError([unknown])
    await sleep(betweenTriesMs, undefined, signal === undefined ? {} : { signal })
  }
}

/** Says that clients of this server come without keys: the transport is theirs alone. */
export async function shareNoKeys(write: KeysOwner | null): Promise<void> {
  await write?.sharedKeys?.keep(JSON.stringify(null))
}

export type KeysOwner = {
  /** Whether it writes, of those that share a database. */
  readonly role?: () => RoleFacts
  /** Where servers of one database say which API keys they take; `null` where there is only one. */
  readonly sharedKeys?: SharedKeys | null
}

type Waiting = { readonly forMs?: number; readonly signal?: AbortSignal }

/** Those of a server beside one that has said which it takes. */
async function keysBeside(config: Config, kept: Kept, shared: SharedKeys): Promise<ApiKeys> {
  const given = config.auth.apiKeys
  const problems = keyTiers.flatMap((tier): ConfigProblem[] => {
    const key = given[tier]?.reveal() ?? null
    if (kept === null) return key === null ? [unset(tier)] : []
    return isSame(key, kept[tier]) ? [] : [different(tier)]
  })
  if (problems.length > 0) throw new ConfigError(problems)
  const keys = provisionKeys(config, randomBytes)
  // For the time when this one leads.
  await shared.keep(JSON.stringify(digestsOf(keys)))
  return keys
}

const hexDigest = z.string().regex(/^[0-9a-f]{64}$/)
/** `null` of a leader whose clients come without any. */
const keptDigests = z.object({ read: hexDigest, feedback: hexDigest, write: hexDigest }).nullable()

type Kept = z.output<typeof keptDigests>

/** What an earlier process left is settled before a leader serves, and may take so long. */
const longestMs = 60_000
const betweenTriesMs = 250

function digestsOf(keys: ApiKeys) {
  return Object.fromEntries(keyTiers.map((tier) => [tier, digestOf(keys[tier].reveal())]))
}

function digestOf(key: string): string {
  return hash('sha256', key)
}

function isSame(key: string | null, kept: string): boolean {
  return key !== null && timingSafeEqual(Buffer.from(digestOf(key)), Buffer.from(kept))
}

function different(tier: KeyTier) {
  const setting = apiKeySetting(tier)
  return {
    code: 'API_KEYS_DIFFER' as const,
    setting,
    message: 'Another server leads on this database, and takes another key.',
    fix: `Set ${setting} to the key of that one (there: svc keys show ${tier}), so that clients may come to either.`,
  }
}

function unset(tier: KeyTier) {
  const setting = apiKeySetting(tier)
  return {
    code: 'API_KEYS_UNKNOWN' as const,
    setting,
    message: 'Another server leads on this database, and takes no keys; one that follows it makes none.',
    fix: `Set ${setting}, to the same key on every server of the database.`,
  }
}

const unknown = {
  code: 'API_KEYS_UNKNOWN' as const,
  setting: 'SVC_DATABASE_URL',
  message: 'Another server leads on this database, and has not said yet which keys it takes.',
  fix: 'Start this server once that one listens (there: GET /healthz), with the same keys.',
}
