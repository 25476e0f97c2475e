import { resolve } from 'node:path'
import { Secret } from '@svc/wallet/core'
import type { KeyTier } from '@svc/engine'
import { envFilePath, readEnvFile } from '../config/env-file.ts'
import { apiKeySetting, keyTiers, principalId } from './credentials.ts'

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
