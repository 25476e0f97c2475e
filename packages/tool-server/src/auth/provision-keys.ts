import type { Config } from '../config/config-shape.ts'
import { appendEnvFile, envFilePath } from '../config/env-file.ts'
import { Secret } from '@svc/wallet/core'
import { apiKeySetting } from './operator-keys.ts'
import { apiKeyFrom } from './api-key.ts'
import type { KeyTier } from '@svc/engine'

/** A key for every tier. */
export type ApiKeys = Readonly<Record<KeyTier, Secret>>

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
