import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usePostgres } from '@svc/devnet/testing'
import { Kysely, Migrator, sql } from 'kysely'
import { Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { type Dialect, migrationsOf } from './migrations.ts'
import { openDatabase } from './sqlite/sqlite-engine.ts'
import { openStore, type StorePlace } from './open-store.ts'
import { createPostgresDialect } from './postgres/postgres-dialect.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'

const postgres = usePostgres()
const at = 1_700_000_000_000
const sessionIdleMs = 1_800_000
const from = '0x00000000000000000000000000000000000000Aa'

describe.each([
  { engine: 'SQLite', newOld: oldSqlite },
  { engine: 'PostgreSQL', newOld: oldPostgres },
])('a database of the version before gas counted, on $engine', ({ newOld }) => {
  test('is brought up to date: what was settled counts, what is open settles, old gas is not looked for', async () => {
    const old = await newOld()
    const store = await openStore({ ...old.place, now: () => at + 60_000 })
    const { ledger, journal } = store
    const usage = () => ledger.usage('agent', { sessionIdleMs })
    expect(await usage()).toMatchObject({ dailyUsdMicros: 140n, dailyGasUsdMicros: 0n, sessionUsdMicros: 140n })
    expect(await ledger.outflows(1, at)).toHaveLength(2)
    // Nobody looks up receipts of what was mined long ago; what draws on the open reservation settles with it.
    expect(await ledger.uncountedGas(1)).toEqual([])
    expect(await ledger.open()).toMatchObject([{ id: 'open', amountUsdMicros: 40n, gasUsdMicros: 0n }])
    await journal.mark('0x04', 'mined')
    await journal.mark('0x04', 'final')
    await ledger.coverGas('0x04', 9n)
    expect(await usage()).toMatchObject({ dailyUsdMicros: 149n, dailyGasUsdMicros: 9n })
    const limits = { perTransaction: 1_000n, perSession: 1_000n, daily: 1_000n }
    const budgets = [{ name: 'loss', usdMicros: 7n, capUsdMicros: 7n }]
    expect(await ledger.budgetUsage('loss')).toBe(0n)
    const raised = { amountUsdMicros: 40n, gasUsdMicros: 9n, budgets, limits, sessionIdleMs }
    expect(await ledger.raise('open', raised)).toMatchObject({ granted: true })
    expect(await ledger.budgetUsage('loss')).toBe(7n)
    await ledger.settle('open', 30n, [
      { hash: '0x02', usdMicros: 1_000n, wei: 1n },
      { hash: '0x04', usdMicros: 5n, wei: 1n },
    ])
    expect(await usage()).toMatchObject({ dailyUsdMicros: 135n, dailyGasUsdMicros: 5n, sessionUsdMicros: 135n })
    expect(await ledger.uncountedGas(1)).toEqual([])
    await store.close()
    const indexes = await old.indexes()
    expect(indexes.get('journal_open')).toMatch(/chain_id, lower\(from_address\), nonce, attempt/)
    expect(indexes.get('journal_refused')).toMatch(/where.*refused/i)
    expect(indexes.get('journal_uncounted')).toMatch(/where.*gas_usd_micros is null/i)
    await old.remove()
  })
})

type Old = {
  readonly place: StorePlace
  readonly indexes: () => Promise<ReadonlyMap<string, string>>
  readonly remove: () => Promise<void>
}

async function oldSqlite(): Promise<Old> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const path = join(folder, 'state.db')
  const database = openDatabase(path)
  const db = new Kysely<unknown>({ dialect: createSqliteDialect(database) })
  database.exec('begin immediate')
  await build(db, { name: 'sqlite' })
  database.exec('commit')
  await db.destroy()
  const indexes = async () => {
    const later = new Kysely<unknown>({ dialect: createSqliteDialect(openDatabase(path)) })
    const found = sql<Index>`select name, sql as text from sqlite_master where type = 'index' and sql is not null`
    return read(later, (await found.execute(later)).rows)
  }
  return { place: { path }, indexes, remove: () => rm(folder, { recursive: true }) }
}

async function oldPostgres(): Promise<Old> {
  const url = await postgres().newSchema()
  const open = () => new Kysely<unknown>({ dialect: createPostgresDialect(new Pool({ connectionString: url })) })
  const db = open()
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  await build(db, { name: 'postgres', schema: rows[0]!.schema })
  await db.destroy()
  const indexes = async () => {
    const later = open()
    const found = sql<Index>`select indexname as name, indexdef as text from pg_indexes where schemaname = current_schema()`
    return read(later, (await found.execute(later)).rows)
  }
  return { place: { url, patienceMs: 120_000 }, indexes, remove: async () => {} }
}

/** The tables of then, with a settled write, one that is on its way, and transactions that ended in every way. */
async function build(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const provider = { getMigrations: async () => migrationsOf(dialect) }
  const place = dialect.name === 'postgres' ? { migrationTableSchema: dialect.schema } : {}
  const { error } = await new Migrator({ db, provider, ...place }).migrateTo('0003-rate-use')
  expect(error).toBeUndefined()
  await sql`insert into spending_session (principal, opened_at, last_spend_at) values ('agent', ${at}, ${at})`.execute(
    db,
  )
  const reservation = (id: string, settled: number | null, reserved: number, state: string) =>
    sql`
      insert into reservation
        (id, request_id, principal, chain_id, session_id, reserved_usd_micros, settled_usd_micros, state, reserved_at, closed_at)
      values (${id}, ${`request-of-${id}`}, 'agent', 1, 1, ${reserved}, ${settled}, ${state}, ${at},
        ${settled === null ? null : at})
    `.execute(db)
  await reservation('settled', 100, 120, 'settled')
  await reservation('open', null, 40, 'reserved')
  for (const [nonce, [hash, reservationId, state]] of (
    [
      ['0x01', 'settled', 'final'],
      ['0x02', null, 'final'],
      ['0x03', 'settled', 'reverted'],
      ['0x04', 'open', 'broadcast'],
    ] as const
  ).entries()) {
    await sql`
      insert into journal
        (hash, request_id, step, chain_id, from_address, nonce, attempt, raw_transaction, reservation_id, state, signed_at)
      values (${hash}, ${`request-of-${reservationId}`}, 0, 1, ${from}, ${nonce}, 0, '0x02', ${reservationId}, ${state}, ${at})
    `.execute(db)
  }
}

type Index = { readonly name: string; readonly text: string }

async function read(db: Kysely<unknown>, rows: readonly Index[]): Promise<ReadonlyMap<string, string>> {
  await db.destroy()
  return new Map(rows.map(({ name, text }) => [name, text]))
}
