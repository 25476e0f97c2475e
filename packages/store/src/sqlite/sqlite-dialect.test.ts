import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql, type RawBuilder } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from './sqlite-engine.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'

type Row = { id: bigint; value: unknown }
let db: Kysely<{ sample: { id: unknown; value: unknown } }>

beforeEach(async () => {
  db = new Kysely({ dialect: createSqliteDialect(openDatabase(':memory:')) })
  await write(sql`create table sample (id integer primary key, value)`)
})

afterEach(() => db.destroy())

test.each([
  [true, 1n],
  [false, 0n],
  [2n ** 63n - 1n, 2n ** 63n - 1n],
  [-(2n ** 63n), -(2n ** 63n)],
  [1.5, 1.5],
  [7, 7n],
  ['text \u{1F600}', 'text \u{1F600}'],
  [null, null],
])('%s comes back as %s', async (given, kept) => {
  await write(sql`insert into sample (id, value) values (1, ${given})`)
  expect(await rows()).toEqual([{ id: 1n, value: kept }])
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 2n ** 63n, 'cut\u0000off', new Uint8Array(2), {}])(
  'refuses parameter %#, which the engine would change or die of',
  async (given) => {
    await expect(write(sql`insert into sample (id, value) values (1, ${given})`)).rejects.toThrow(TypeError)
    expect(await rows()).toEqual([])
  },
)

test('an undefined parameter is refused as well', async () => {
  await expect(write(sql`insert into sample (id, value) values (1, ${undefined})`)).rejects.toThrow(TypeError)
})

test('a failed transaction leaves nothing, and the next one works', async () => {
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto('sample').values({ id: 1, value: 'a' }).execute()
    throw new Error('stop')
  })
  await expect(failing).rejects.toThrow('stop')
  await db.transaction().execute((trx) => trx.insertInto('sample').values({ id: 2, value: 'b' }).execute())
  expect(await rows()).toEqual([{ id: 2n, value: 'b' }])
})

test('a transaction that the engine ended by itself fails with what ended it', async () => {
  const database = openDatabase(':memory:')
  const own = new Kysely({ dialect: createSqliteDialect(database) })
  const cut = own.transaction().execute(async () => {
    // As a full disk does.
    database.exec('rollback')
    throw new RangeError('full')
  })
  await expect(cut).rejects.toThrow(RangeError)
  await own.transaction().execute((trx) => sql`create table after (id)`.execute(trx))
  await own.destroy()
})

test('rows are plain: nothing is added to them', async () => {
  await write(sql`insert into sample (id, value) values (1, 'a')`)
  expect(Object.keys((await rows())[0]!)).toEqual(['id', 'value'])
})

test('a write outside a transaction is refused', async () => {
  await expect(sql`insert into sample (id, value) values (1, 2)`.execute(db)).rejects.toThrow('transaction')
})

test('a begin that met a busy database does not lock its own connection out', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const holder = openDatabase(join(folder, 'state.db'))
  holder.exec('create table sample (id integer primary key, value)')
  const other = new Kysely<{ sample: { id: unknown } }>({
    dialect: createSqliteDialect(openDatabase(join(folder, 'state.db'))),
  })
  const insert = () => other.transaction().execute((trx) => trx.insertInto('sample').values({ id: 2 }).execute())
  holder.exec('begin immediate')
  holder.exec('insert into sample (id) values (1)')
  await expect(insert()).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  holder.exec('commit')
  await insert()
  expect(await other.selectFrom('sample').selectAll().execute()).toHaveLength(2)
  await other.destroy()
  holder.close()
  await rm(folder, { recursive: true })
})

test('a statement that is kept holds neither a snapshot nor a lock', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const other = openDatabase(join(folder, 'state.db'))
  other.exec('create table sample (id integer primary key, value)')
  const kept = new Kysely<{ sample: { id: unknown } }>({
    dialect: createSqliteDialect(openDatabase(join(folder, 'state.db'))),
  })
  const ids = () => kept.selectFrom('sample').select('id').orderBy('id').execute()
  const insert = (id: number) =>
    kept.transaction().execute((trx) => trx.insertInto('sample').values({ id }).returning('id').execute())
  await insert(1)
  for (let id = 2; id <= 250; id += 2) {
    other.exec(`insert into sample (id) values (${id})`)
    await insert(id + 1)
    expect((await ids()).at(-1)).toEqual({ id: BigInt(id + 1) })
    // Writes the whole log back and empties it, which anyone who still reads an older state prevents.
    expect(other.pragma('wal_checkpoint(truncate)')).toEqual([{ busy: 0n, log: 0n, checkpointed: 0n }])
  }
  await kept.destroy()
  other.close()
  await rm(folder, { recursive: true })
})

test('a statement that failed works again', async () => {
  const insert = (id: number) =>
    db.transaction().execute((trx) => trx.insertInto('sample').values({ id, value: null }).execute())
  await insert(1)
  await expect(insert(1)).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })
  await insert(2)
  expect(await rows()).toHaveLength(2)
})

test('a statement sees a table that was altered since', async () => {
  expect(await rows()).toEqual([])
  await write(sql`alter table sample add column more`)
  await write(sql`insert into sample (id, value, more) values (1, 2, 3)`)
  expect(await rows()).toEqual([{ id: 1n, value: 2n, more: 3n }])
})

function write(statement: RawBuilder<unknown>) {
  return db.transaction().execute((trx) => statement.execute(trx))
}

async function rows(): Promise<Row[]> {
  return (await sql<Row>`select * from sample`.execute(db)).rows
}
