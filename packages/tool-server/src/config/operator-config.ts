import { resolve } from 'node:path'
import { Secret } from '@svc/wallet/core'
import { envFilePath, readEnvFile } from './env-file.ts'

/**
 * Reads where the state of a server stands, and its chains file, for commands beside it. The data directory's environment file counts as it
 * does for the server; none of its other settings is looked at. Throws a `ConfigError` for an unsafe environment file.
 */
export function readOperatorConfig(environment: Readonly<Record<string, string | undefined>>): OperatorConfig {
  const dataDir = resolve(environment['SVC_DATA_DIR'] || '.svc')
  const written = readEnvFile(envFilePath(dataDir))
  const databaseUrl = environment['SVC_DATABASE_URL'] || written['SVC_DATABASE_URL']
  const chainsFile = environment['SVC_CHAINS_FILE'] || written['SVC_CHAINS_FILE']
  return { dataDir, databaseUrl: databaseUrl ? new Secret(databaseUrl) : null, chainsFile: chainsFile || null }
}

export type OperatorConfig = {
  /** Absolute path. */
  readonly dataDir: string
  /** Where it is not in the directory. */
  readonly databaseUrl: Secret | null
  /** The file of chain rows that the settings name. */
  readonly chainsFile: string | null
}
