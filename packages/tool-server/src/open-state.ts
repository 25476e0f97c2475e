import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  openStore,
  steadyClock,
  type Store,
  StoreError,
  type BarStore,
  type RateLeases,
  type TokenStore,
} from '@svc/store'
import { createAttempts } from './auth/attempts.ts'
import { type Config, ConfigError, type ConfigProblem } from './config/config-shape.ts'
import type { Log } from '@svc/runtime'

/** The state stands in the database that the operator names, else in the data directory. Throws `ConfigError` where a database cannot be reached. */
export async function openState({ dataDir, databaseUrl }: StatePlace): Promise<Store> {
  const now = steadyClock(Date.now, () => performance.now())
  if (databaseUrl === null) return await openStore({ path: join(dataDir, 'state.db'), now })
  try {
    return await openStore({ url: databaseUrl.reveal(), now })
  } catch (error) {
    const isOurs =
      error instanceof StoreError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_URL_INVALID')
    if (!isOurs) throw error
    throw new ConfigError([
      {
        code: 'DATABASE_UNAVAILABLE',
        setting: 'SVC_DATABASE_URL',
        message: error.message,
        fix: 'Start the database or correct SVC_DATABASE_URL; without it the state stands in SVC_DATA_DIR.',
      },
    ])
  }
}

type StatePlace = Pick<Config, 'dataDir' | 'databaseUrl'>

/**
 * Refuses a data directory into which others than its owner can look, and files of ours in it that others may write.
 * Files are made with mode 0600; the database's own come with the process's mask, and the directory keeps them closed.
 * Throws a `ConfigError` naming each with its fix.
 */
export function requirePrivate(dataDir: string): void {
  if (process.platform === 'win32') return
  const problems: ConfigProblem[] = []
  const check = (path: string, forbidden: number, message: string, mode: string): void => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.isSymbolicLink() || (stats.mode & forbidden) === 0) return
    problems.push({ code: 'DATA_DIR_UNSAFE', setting: path, message, fix: `Run: chmod ${mode} ${path}` })
  }
  check(dataDir, 0o077, 'Others than its owner can look into the data directory.', '700')
  for (const name of ownFiles(dataDir)) {
    check(join(dataDir, name), 0o022, 'Others than its owner can write it.', '600')
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

function ownFiles(dataDir: string): readonly string[] {
  return readdirSync(dataDir).filter((name) =>
    /^(?:state\.db.*|server\.lock|audit.*\.jsonl?|paused|(?:breaker|balances|recorded.*|resumed|owed-allowances)\.json)$/.test(
      name,
    ),
  )
}

/**
 * What servers that only read share with each other in the database that the operator names: closed bars of pools, what tokens say
 * of themselves, and the rate limits. A server that signs opens its own state, and takes nothing of tokens from here.
 *
 * @throws ConfigError when the database cannot be reached at the start; later it may go away, and the chain is asked.
 */
export async function openSharedReads(config: Config, log: Pick<Log, 'warn'>): Promise<SharedReads> {
  const store = await openState(config)
  const now = () => performance.now()
  const attempt = createAttempts({ now, onError: (error) => log.warn('reads.not-shared', { error }) })
  const { bars, tokens, rateLeases } = store
  return {
    bars: {
      read: (...asked) => attempt(() => bars.read(...asked)),
      keep: (...given) => attempt(() => bars.keep(...given)),
    },
    tokens: {
      read: (...asked) => attempt(() => tokens.read(...asked)),
      keep: (...given) => attempt(() => tokens.keep(...given)),
    },
    rateLeases,
    close: () => store.close(),
  }
}

export type SharedReads = {
  readonly bars: BarStore
  readonly tokens: TokenStore
  readonly rateLeases: RateLeases
  close(): Promise<void>
}
