import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyTier, RoleFacts } from '@svc/engine'
import type { SharedSwitches } from '@svc/store'
import * as z from 'zod'
import { type Config, ConfigError } from '../config/config-shape.ts'
import { type ApiKeys, apiKeySetting, keyTiers, provisionKeys } from './credentials.ts'

/**
 * The API keys of a server: those of the configuration, and what it lacks is made. Servers of one database take the same, whoever of them
 * leads: the leader keeps digests of its own, and one that follows does not serve others, nor makes any. Throws `ConfigError`
 * `API_KEYS_DIFFER`.
 */
export async function agreeOnKeys(config: Config, write: KeysOwner | null): Promise<ApiKeys> {
  const shared = write?.sharedKeys ?? null
  if (shared === null) return provisionKeys(config, randomBytes)
  const isLeader = () => write?.role?.().role === 'leader'
  if (!isLeader()) await requireSame(config.auth.apiKeys, shared, isLeader)
  const keys = provisionKeys(config, randomBytes)
  if (isLeader()) {
    const digests = Object.fromEntries(keyTiers.map((tier) => [tier, digestOf(keys[tier].reveal())]))
    await shared.replace('keys', JSON.stringify(digests))
  }
  return keys
}

export type KeysOwner = {
  /** Whether it writes, of those that share a database. */
  readonly role?: () => RoleFacts
  /** Where servers of one database keep digests of their API keys; `null` where there is only one. */
  readonly sharedKeys?: SharedSwitches | null
}

async function requireSame(
  given: Config['auth']['apiKeys'],
  shared: SharedSwitches,
  isLeader: () => boolean,
): Promise<void> {
  const kept = await keptDigests(shared)
  // It may be one without a transport that takes keys; and who leads meanwhile keeps its own.
  if (kept === null || isLeader()) return
  const problems = keyTiers.filter((tier) => !isSame(given[tier]?.reveal() ?? null, kept[tier])).map(problemOf)
  if (problems.length > 0) throw new ConfigError(problems)
}

/** A leader that starts at the same time keeps its keys once it listens. */
async function keptDigests(shared: SharedSwitches): Promise<Readonly<Record<KeyTier, string>> | null> {
  for (let tries = 1; ; tries += 1) {
    const text = await shared.read('keys')
    if (text !== null) return schema.parse(JSON.parse(text))
    if (tries === mostTries) return null
    await sleep(betweenTriesMs)
  }
}

const digest = z.string().regex(/^[0-9a-f]{64}$/)
const schema = z.object({ read: digest, feedback: digest, write: digest })

const mostTries = 20
const betweenTriesMs = 250

function digestOf(key: string): string {
  return hash('sha256', key)
}

function isSame(key: string | null, kept: string): boolean {
  return key !== null && timingSafeEqual(Buffer.from(digestOf(key)), Buffer.from(kept))
}

function problemOf(tier: KeyTier) {
  const setting = apiKeySetting(tier)
  return {
    code: 'API_KEYS_DIFFER' as const,
    setting,
    message: 'Another server leads on this database, and takes another key.',
    fix: `Set ${setting} to the key of that one (there: svc keys show ${tier}), so that clients may come to either.`,
  }
}
