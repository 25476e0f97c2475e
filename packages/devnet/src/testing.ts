export { startPostgres } from './start-postgres.ts'
export type { Postgres, PostgresOptions } from './start-postgres.ts'
export { useDevnet } from './use-devnet.ts'
export { usePostgres } from './use-postgres.ts'
