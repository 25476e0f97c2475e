import { join } from 'node:path'
import { readConfig, type Config } from '@svc/tool-server'
import { UsageError } from '../usage-error.ts'

/**
 * The settings of the server whose policy is meant, its data directory's environment file included, and where the policy
 * is. Throws `ConfigError` for settings the server would not start with either.
 */
export function policyPlace(
  dataDir: string | undefined,
  file: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly config: Config; readonly path: string } {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const config = readConfig(dataDir === undefined ? environment : { ...environment, SVC_DATA_DIR: dataDir })
  return { config, path: file ?? join(config.dataDir, 'policy.json') }
}
