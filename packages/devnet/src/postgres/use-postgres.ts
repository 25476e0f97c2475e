import { afterAll, beforeAll } from 'vitest'
import { type Postgres, type PostgresOptions, startPostgres } from './start-postgres.ts'

/**
 * A database for the tests of a file (see `startPostgres`). The files of a worker have theirs on one server, which ends
 * with the worker; only who asks for an own one has that started for it. Returns a getter to call inside hooks and tests.
 */
export function usePostgres(options: PostgresOptions = {}): () => Postgres {
  let postgres: Postgres | null = null
  beforeAll(async () => {
    postgres = await startPostgres(options.ownServer ? options : { ...options, env: await onSharedServer(options) })
  })
  afterAll(async () => {
    await postgres?.stop()
  })
  return () => {
    if (!postgres) throw new Error('PostgreSQL starts in beforeAll: call this inside a hook or a test')
    return postgres
  }
}

/** The environment with the server that it names, else with the one of this worker, which starts when first asked for. */
async function onSharedServer({ env = process.env }: PostgresOptions): Promise<NonNullable<PostgresOptions['env']>> {
  if (env['SVC_TEST_DATABASE_URL']) return env
  const holder: { [registry]?: Promise<Postgres> } & typeof globalThis = globalThis
  holder[registry] ??= startPostgres({ ownServer: true })
  const { url } = await holder[registry]
  return { ...env, SVC_TEST_DATABASE_URL: url }
}

const registry = Symbol.for('@svc/devnet/testing/postgres')

/**
 * The engine that tests of stored state run on: SQLite, and PostgreSQL where `SVC_TEST_ENGINE` says so, as for the tests of the
 * whole system. Throws a `TypeError` for any other name.
 */
export function testedEngine(): 'SQLite' | 'PostgreSQL' {
  const named = process.env['SVC_TEST_ENGINE'] ?? 'SQLite'
  if (named === 'SQLite' || named === 'PostgreSQL') return named
  throw new TypeError('SVC_TEST_ENGINE is neither SQLite nor PostgreSQL.')
}
