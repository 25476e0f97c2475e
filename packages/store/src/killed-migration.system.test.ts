// Data of version 0.2 under a program that is killed while it brings the schema up to date.
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { usePostgres } from '@svc/devnet/testing'
import { Kysely, Migrator, sql } from 'kysely'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dialect, migrationsOf } from './migrations.ts'
import { openStore, type StorePlace } from './open-store.ts'
import { createPostgresDialect } from './postgres/postgres-dialect.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import { openDatabase } from './sqlite/sqlite-engine.ts'
import { readState } from './backup/read-state.ts'

const postgres = usePostgres()
const at = 1_700_000_000_000
const from = '0x00000000000000000000000000000000000000aa'
const lastOf02 = '0014-stored-operation'

let folder: string
let files = 0
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'store-'))))
afterAll(() => rm(folder, { recursive: true }))

describe.each([
  { engine: 'SQLite', newOld: oldFile },
  { engine: 'PostgreSQL', newOld: oldDatabase },
])('data of 0.2 on $engine, while it is brought up to date', ({ newOld }) => {
  test('is whole whichever statement the program is killed before: as it was, and up to date with the next start', async () => {
    const count = Number((await openElsewhere(await newOld(), Number.POSITIVE_INFINITY)).stdout)
    expect(count).toBeGreaterThan(20)
    for (const nth of [1, 2, 0.3, 0.6, 0.9, 1].map((one, index) => (index < 2 ? one : Math.ceil(one * count)))) {
      const place = await newOld()
      expect((await openElsewhere(place, nth)).signal).toBe('SIGKILL')
      const { last, journal } = await readState(place, async ({ steps, tables }) => ({
        last: steps.at(-1),
        journal: tables.find(({ name }) => name === 'journal')?.columns ?? [],
      }))
      // Nothing of it, or all: never a column without its step.
      expect(last).toBe(lastOf02)
      expect(journal).not.toContain('user_operation')
      const store = await openStore({ ...place, now: () => at + 60_000 })
      expect((await store.ledger.usage('agent', { sessionIdleMs: 1_000 })).dailyUsdMicros).toBe(140n)
      expect(await store.journal.open(1, from)).toMatchObject([{ hash: '0x02', state: 'broadcast', nonce: 1 }])
      expect(await store.idempotency.begin({ ...call, requestId: 'again' })).toMatchObject({ state: 'done' })
      await store.ledger.settle('open', 30n)
      await store.close()
      const steps = await readState(place, async (snapshot) => snapshot.steps)
      expect(steps).toEqual(Object.keys(migrationsOf({ name: 'sqlite' })))
    }
  })
})

const call = { principalId: 'agent', key: 'k', bodyHash: 'b' }

async function oldFile(): Promise<StorePlace> {
  const template = join(folder, 'old.db')
  if (files === 0) {
    const database = openDatabase(template)
    const db = new Kysely<unknown>({ dialect: createSqliteDialect(database) })
    database.exec('begin immediate')
    await build(db, { name: 'sqlite' })
    database.exec('commit')
    database.pragma('wal_checkpoint(truncate)')
    await db.destroy()
  }
  const path = join(folder, `${(files += 1)}.db`)
  await copyFile(template, path)
  return { path }
}

async function oldDatabase(): Promise<StorePlace> {
  const url = await postgres().newSchema()
  const db = new Kysely<unknown>({ dialect: createPostgresDialect(new Pool({ connectionString: url })) })
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  await build(db, { name: 'postgres', schema: rows[0]?.schema ?? '' })
  await db.destroy()
  return { url }
}

/** The tables of 0.2, with a settled write, one that is on its way, and an answer that is kept. */
async function build(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const provider = { getMigrations: async () => migrationsOf(dialect) }
  const place = dialect.name === 'postgres' ? { migrationTableSchema: dialect.schema } : {}
  const { error } = await new Migrator({ db, provider, ...place }).migrateTo(lastOf02)
  expect(error).toBeUndefined()
  await sql`insert into spending_session (principal, opened_at, last_spend_at) values ('agent', ${at}, ${at})`.execute(
    db,
  )
  const reservation = (id: string, settled: number | null, reserved: number, state: string) =>
    sql`
      insert into reservation
        (id, request_id, principal, chain_id, session_id, reserved_usd_micros, settled_usd_micros, settled_gas_usd_micros,
          state, reserved_at, closed_at)
      values (${id}, ${`request-of-${id}`}, 'agent', 1, 1, ${reserved}, ${settled}, ${settled === null ? null : 0}, ${state},
        ${at}, ${settled === null ? null : at})
    `.execute(db)
  await reservation('settled', 100, 120, 'settled')
  await reservation('open', null, 40, 'reserved')
  for (const [nonce, [hash, id, state]] of (
    [
      ['0x01', 'settled', 'final'],
      ['0x02', 'open', 'broadcast'],
    ] as const
  ).entries()) {
    await sql`
      insert into journal
        (hash, request_id, step, chain_id, from_address, nonce, attempt, raw_transaction, reservation_id, state, signed_at)
      values (${hash}, ${`request-of-${id}`}, 0, 1, ${from}, ${nonce}, 0, '0x02', ${id}, ${state}, ${at})
    `.execute(db)
  }
  await sql`
    insert into idempotency (principal, key, body_hash, request_id, run, state, answer, created_at)
    values ('agent', 'k', 'b', 'r', 'run', 'done', '{}', ${at})
  `.execute(db)
}

/** Opens the store in a process of its own, which ends itself before the nth statement that changes something; says how many there were. */
async function openElsewhere(place: StorePlace, nth: number): Promise<{ stdout: string; signal: string | null }> {
  const built = JSON.stringify(new URL('../dist/index.js', import.meta.url).href)
  const program = `import Database from 'libsql'
import pg from 'pg'
let count = 0
const look = (text) => {
  if (!/^\\s*(create|alter|drop|update|delete|commit|insert into "\\w*"?\\.?"?kysely_migration")/i.test(text)) return
  count += 1
  if (count === ${nth === Number.POSITIVE_INFINITY ? 'Infinity' : nth}) process.kill(process.pid, 'SIGKILL')
}
for (const [target, name] of [[Database.prototype, 'prepare'], [Database.prototype, 'exec'], [pg.Client.prototype, 'query']]) {
  const own = target[name]
  target[name] = function (...given) {
    look(typeof given[0] === 'string' ? given[0] : given[0]?.text ?? '')
    return own.apply(this, given)
  }
}
const { openStore } = await import(${built})
const store = await openStore({ ...${JSON.stringify(place)}, now: Date.now })
console.log(count)
await store.close()`
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', program], { cwd }, (error, stdout, stderr) => {
      if (error !== null && error.signal === undefined) throw new Error(stderr)
      resolve({ stdout, signal: error?.signal ?? null })
    })
  })
}
