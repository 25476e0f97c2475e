import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyTier, RoleFacts, SharedKeys } from '@svc/engine'
import * as z from 'zod'
import { type Config, ConfigError, type ConfigProblem } from '../config/config-shape.ts'
import { type ApiKeys, apiKeySetting, keyTiers, provisionKeys } from './credentials.ts'

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
    if (said !== null) return keysBeside(config, schema.parse(JSON.parse(said)), shared)
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

const digest = z.string().regex(/^[0-9a-f]{64}$/)
/** `null` of a leader whose clients come without any. */
const schema = z.object({ read: digest, feedback: digest, write: digest }).nullable()

type Kept = z.output<typeof schema>

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
