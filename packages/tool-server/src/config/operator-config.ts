import { resolve } from 'node:path'
import { Secret } from '@svc/wallet'
import { envFilePath, readEnvFile } from './env-file.ts'

/**
 * Reads where the state of a server stands, for commands beside it. The data directory's environment file counts as it
 * does for the server; none of its other settings is looked at. Throws a `ConfigError` for an unsafe environment file.
 */
export function readOperatorConfig(environment: Readonly<Record<string, string | undefined>>): OperatorConfig {
  const dataDir = resolve(environment['SVC_DATA_DIR'] || '.svc')
  const databaseUrl = environment['SVC_DATABASE_URL'] || readEnvFile(envFilePath(dataDir))['SVC_DATABASE_URL']
  return { dataDir, databaseUrl: databaseUrl ? new Secret(databaseUrl) : null }
}

export type OperatorConfig = {
  /** Absolute path. */
  readonly dataDir: string
  /** Where it is not in the directory. */
  readonly databaseUrl: Secret | null
}
