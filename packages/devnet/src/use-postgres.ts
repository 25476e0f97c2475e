import { afterAll, beforeAll } from 'vitest'
import { startPostgres, type Postgres, type PostgresOptions } from './start-postgres.ts'

/** One PostgreSQL for the tests of a file (see `startPostgres`). Returns a getter to call inside hooks and tests. */
export function usePostgres(options: PostgresOptions = {}): () => Postgres {
  let postgres: Postgres | null = null
  beforeAll(async () => {
    postgres = await startPostgres(options)
  })
  afterAll(async () => {
    await postgres?.stop()
  })
  return () => {
    if (!postgres) throw new Error('PostgreSQL starts in beforeAll: call this inside a hook or a test')
    return postgres
  }
}
