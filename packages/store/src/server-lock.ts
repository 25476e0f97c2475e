import Database from 'libsql'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '@svc/runtime'
import { StoreError } from './store-error.ts'

/**
 * Makes this process the one server of a data directory. The lock is the operating system's, on a database of its own,
 * so it is gone the moment the process is, however it ends, and `state.db` stays free for other commands. Throws
 * `DATA_DIR_LOCKED` at once when another server holds it.
 */
export async function acquireServerLock(dataDir: string): Promise<ServerLock> {
  makeDirectory(dataDir)
  const path = join(dataDir, 'server.lock')
  const file = await open(path, 'a', 0o600)
  await file.close()
  const database = new Database(path)
  try {
    database.exec('pragma busy_timeout = 0')
    database.exec('pragma locking_mode = exclusive')
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY'))) throw error
    throw new StoreError(
      'DATA_DIR_LOCKED',
      `Another server runs on ${dataDir}. Stop it, or choose another data directory.`,
      { cause: error },
    )
  }
  return {
    release: () => {
      if (!database.open) return
      database.exec('rollback')
      database.close()
    },
  }
}

export type ServerLock = { release(): void }
