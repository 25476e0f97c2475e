import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config-shape.ts'

/**
 * Refuses a data directory that a restore has not finished: what stands in it is not all of the state yet. Throws a `ConfigError` with
 * the fix.
 */
export function requireRestored(dataDir: string): void {
  const setting = join(dataDir, restoringName)
  if (lstatSync(setting, { throwIfNoEntry: false }) === undefined) return
  const message = 'A restore into this data directory was cut off, so not all of the state stands in it.'
  const fix = `Run svc restore again, with the same backup: svc restore BACKUP --data-dir ${dataDir}`
  throw new ConfigError([{ code: 'RESTORE_UNFINISHED', setting, message, fix }])
}

/** The folder that stands in a data directory while a backup is restored into it. */
export const restoringName = 'restoring'
