import { join } from 'node:path'
import { makeDirectory } from '@svc/runtime'
import { acquireServerLock, openStore, type Store } from '@svc/store'
import type { Config } from './config.ts'
import { ConfigError } from './config/schema.ts'

/**
 * Opens the state: that of its own directory belongs to one process, a database may be shared. Throws a `StoreError`, and a
 * `ConfigError` for a directory that cannot be made.
 */
export async function openState(config: StatePlace, { now = Date.now, clock = 'database' }: Clocks): Promise<State> {
  if (config.databaseUrl !== null) {
    const store = await openStore({ url: config.databaseUrl.reveal(), now, clock })
    return { store, close: () => store.close() }
  }
  const { directory, path } = statePath(config)
  try {
    makeDirectory(directory)
  } catch (error) {
    throw new ConfigError([unusable(error)])
  }
  const lock = await acquireServerLock(directory)
  try {
    const store = await openStore({ path, now })
    return { store, close: () => store.close().finally(() => lock.release()) }
  } catch (error) {
    lock.release()
    throw error
  }
}

type StatePlace = Pick<Config, 'databaseUrl' | 'dataDir'>

export type Clocks = {
  /** Unix milliseconds. */
  readonly now?: () => number
  /** Whose time the limits in a shared database go by; the database's when absent. */
  readonly clock?: 'database' | 'process'
}

type State = { readonly store: Store; close(): Promise<void> }

function unusable(error: unknown) {
  const message = `The directory cannot be made (${codeOf(error)}).`
  const fix = 'Name one that this user may write to.'
  return { code: 'DATA_DIR_INVALID', setting: 'SVC_DATA_DIR', message, fix } as const
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

/** Where the state stands without a database: in a directory of its own, so that other servers may share the one above. */
export function statePath({ dataDir }: Pick<Config, 'dataDir'>): { readonly directory: string; readonly path: string } {
  const directory = join(dataDir, 'support-api')
  return { directory, path: join(directory, 'state.db') }
}
