import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testedEngine, usePostgres } from '@svc/devnet/testing'
import { Client } from 'pg'
import { placeMigrated } from './migrated-file.fixture.ts'
import type { StorePlace } from './open-store.ts'

/** The engine that is tested now, for `describe.each`: it gives empty places to open stores at. Starts PostgreSQL where it is that. */
export function useEngines(): readonly TestEngine[] {
  return testedEngine() === 'PostgreSQL' ? [usePostgresPlaces()] : [{ engine: 'SQLite', newPlace: newFile }]
}

async function newFile(): Promise<TestPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const path = join(folder, 'state.db')
  await placeMigrated(path)
  return { place: { path }, remove: () => rm(folder, { recursive: true }) }
}

function usePostgresPlaces(): TestEngine {
  const postgres = usePostgres()
  let schema: Promise<string> | undefined
  return {
    engine: 'PostgreSQL',
    async newPlace() {
      schema ??= postgres().newSchema()
      const url = await schema
      return { place: { url, patienceMs: 120_000, clock: 'process' }, remove: () => empty(url) }
    },
  }
}

export type TestEngine = {
  readonly engine: string
  readonly newPlace: () => Promise<TestPlace>
}

export type TestPlace = { readonly place: StorePlace; remove(): Promise<void> }

/** Making the tables again for each test would take longer than the tests. */
async function empty(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = current_schema() and tablename not like 'kysely%'",
  )
  await client.query(`truncate ${rows.map(({ name }) => name).join(', ')} restart identity`)
  await client.end()
}
