import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testedEngine, usePostgres } from '@svc/devnet/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOperation } from '../operations/operations.fixture.ts'
import { openStore, type Store, type StorePlace } from '../open-store.ts'
import { passingTables, stateTables } from './read-state.ts'
import { restored, takeCopy, toStream } from './take-copy.fixture.ts'
import { writeState } from './write-state.ts'

const postgres = testedEngine() === 'PostgreSQL' ? usePostgres() : null
const limits = { perTransaction: 10n ** 9n, perSession: 10n ** 9n, daily: 10n ** 9n }
const from = '0x00000000000000000000000000000000000000Aa'

let folder: string
let places = 0
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'store-'))))
afterAll(() => rm(folder, { recursive: true }))

const newFile = (): StorePlace => ({ path: join(folder, `${(places += 1)}.db`) })
const newPlace = async (): Promise<StorePlace> =>
  postgres === null ? newFile() : { url: await postgres().newSchema() }
const open = (place: StorePlace) => openStore({ ...place, now: () => 1_700_000_000_000 })

/** A write as the engine makes it: reserved, signed on it, settled. */
async function write({ ledger, journal }: Store, index: number): Promise<void> {
  const spend = { principal: 'agent', chainId: 1, amountUsdMicros: 5n, limits, sessionIdleMs: 1_000 }
  const budgets = [{ name: 'loss', usdMicros: 1n, capUsdMicros: 10n ** 9n }]
  await ledger.reserve({ ...spend, id: `r${index}`, requestId: `q${index}`, budgets })
  const hash = `0x${index.toString(16).padStart(64, '0')}` as const
  const slot = { requestId: `q${index}`, step: 0, chainId: 1, from, nonce: index, attempt: 0 } as const
  await journal.recordSigned({ ...slot, rawTransaction: '0x02', hash, reservationId: `r${index}` })
  await journal.mark(hash, 'mined', { blockNumber: 2n ** 62n + BigInt(index) })
  await ledger.settle(`r${index}`, 3n)
}

async function fill(store: Store): Promise<void> {
  for (let index = 0; index < 12; index += 1) await write(store, index)
  await store.operations.create(newOperation('op "1"\n', { plan: '{"text":"\u202e\\u0000 é"}' }))
  await store.memory
    .of('ann')
    .keep({ kind: 'episode', chainId: 1, pair: 'a-b', subject: null, confidence: 0.5, content: '{}' })
  await store.signIns.revoke({ subject: 'siwe:0x01', by: 'operator:ada', until: null })
  await store.signIns.spendNonce('nonce', 1_700_000_100_000)
}

test('every table of the schema is copied, or known to pass by itself', async () => {
  const place = await newPlace()
  await (await open(place)).close()
  const copied = (await takeCopy(place)).tables.map(({ name }) => name)
  expect([...copied, ...passingTables].toSorted()).toEqual([...stateTables].toSorted())
  const names =
    'path' in place
      ? "select name from sqlite_master where type = 'table'"
      : 'select tablename as name from pg_tables where schemaname = current_schema()'
  const { openSqliteEngine } = await import('../sqlite/sqlite-engine.ts')
  const { openPostgresEngine } = await import('../postgres/postgres-engine.ts')
  const { sql } = await import('kysely')
  const engine = 'path' in place ? await openSqliteEngine(place.path) : await openPostgresEngine(place.url)
  const { rows } = await engine.read((db) => sql.raw<{ name: string }>(names).execute(db))
  await engine.close()
  const own = rows.map(({ name }) => name).filter((name) => !/^(kysely|sqlite)_/.test(name))
  expect(own.toSorted()).toEqual([...stateTables].toSorted())
})

test('what is taken while others write is of one moment, and comes back to the row', async () => {
  const place = await newPlace()
  const store = await open(place)
  await fill(store)
  const writing = { goesOn: true, done: 0 }
  const writer = (async () => {
    for (let index = 12; writing.goesOn; index += 1) {
      await write(store, index)
      writing.done = index
      // Such writes never leave the thread by themselves.
      await new Promise(setImmediate)
    }
  })()
  await expect.poll(() => writing.done).toBeGreaterThan(14)
  const before = writing.done
  const copy = await takeCopy(place)
  writing.goesOn = false
  await writer
  await store.close()
  const rows = (table: string) => copy.tables.find(({ name }) => name === table)?.rows ?? 0
  expect(rows('journal')).toBeGreaterThan(before)
  // A signature without what it draws on would be of two moments.
  expect(rows('reservation') - rows('journal')).toBeOneOf([0, 1])
  expect(rows('sign_in_revocation')).toBe(1)

  const target = await newPlace()
  await writeState(target, copy, restored)
  const again = await open(target)
  const last = rows('journal') - 1
  expect(await again.journal.nextNonce(1, from)).toBe(last + 1)
  expect(await again.journal.byNonce(1, from, 3)).toMatchObject([{ blockNumber: 2n ** 62n + 3n }])
  expect((await again.ledger.usage('agent', { sessionIdleMs: 1_000 })).dailyUsdMicros).toBeGreaterThan(3n * 12n)
  expect(await again.operations.byId('op "1"\n')).toMatchObject({ plan: '{"text":"\u202e\\u0000 é"}' })
  expect(await again.signIns.spendNonce('nonce', 1_700_000_100_000)).toBe(true)
  await write(again, 100_000)
  await again.close()
})

test('comes back in the other engine, and from there', async () => {
  const place = await newPlace()
  const store = await open(place)
  await fill(store)
  await store.close()
  const first = await takeCopy(place)
  const [file, again] = [newFile(), await newPlace()]
  await writeState(file, first, restored)
  const second = await takeCopy(file)
  await writeState(again, second, restored)
  const third = await takeCopy(again)
  expect(second.tables).toEqual(first.tables)
  expect(third.tables).toEqual(first.tables)
})

test('says that it was put back, also of a copy that has no table for that, until it is released; no copy says it', async () => {
  const place = await newPlace()
  await (await open(place)).close()
  const copy = await takeCopy(place)
  const since = copy.steps.findIndex((step) => step.includes('restored'))
  const tables = copy.tables.filter(({ name }) => name !== 'switch_state')
  const older = { ...copy, steps: copy.steps.slice(0, since), tables }
  expect(since).toBeGreaterThan(0)
  for (const taken of [copy, older]) {
    const target = await newPlace()
    await writeState(target, taken, restored)
    const again = await open(target)
    expect(await again.restored.read()).toEqual(restored)
    expect((await takeCopy(target)).kept.has('restored_copy')).toBe(false)
    await again.restored.release()
    await again.close()
    const later = await open(target)
    expect(await later.restored.read()).toBeNull()
    await later.close()
  }
})

test('numbers go on behind those that were given, also to rows that are gone', async () => {
  const place = await newPlace()
  const store = await open(place)
  const own = store.memory.of('ann')
  const record = { kind: 'episode', chainId: 1, pair: 'a-b', subject: null, confidence: 1, content: '{}' } as const
  for (let index = 0; index < 3; index += 1) await own.keep(record)
  await store.memory.forget('ann')
  await store.close()
  const copy = await takeCopy(place)
  expect(copy.tables.find(({ name }) => name === 'memory')).toMatchObject({ rows: 0, lastSequence: '3' })
  const target = await newPlace()
  await writeState(target, copy, restored)
  const again = await open(target)
  await again.memory.of('ann').keep(record)
  await again.close()
  const [row] = (await takeCopy(target)).kept.get('memory') ?? []
  expect(row?.[0]).toBe('4')
})

test('a copy of a newer version is refused, and one in which a row was changed', async () => {
  const place = await newPlace()
  const store = await open(place)
  await fill(store)
  await store.close()
  const copy = await takeCopy(place)
  const newer = { ...copy, steps: [...copy.steps, '9999-later'] }
  await expect(writeState(await newPlace(), newer, restored)).rejects.toMatchObject({ code: 'STORE_SCHEMA_UNKNOWN' })
  const changed = copy.kept.get('reservation')?.map((row) => row.map((value) => (value === '5' ? '1' : value))) ?? []
  const rows = (table: string) => (table === 'reservation' ? toStream(changed) : copy.rows(table))
  await expect(writeState(newFile(), { ...copy, rows }, restored)).rejects.toMatchObject({ code: 'STORE_COPY_DAMAGED' })
})
