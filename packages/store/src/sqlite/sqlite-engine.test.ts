import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Transaction } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Durability, type Engine, preparedQuery, preparedRow, preparedSearch } from '../engine.ts'
import { createJournal } from '../journal/journal.ts'
import { createLedger } from '../ledger/ledger.ts'
import { openDatabase, openSqliteEngine } from './sqlite-engine.ts'
import type { Schema } from '../schema.ts'

let folder: string
let engine: Engine

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'))
  engine = await openSqliteEngine(join(folder, 'state.db'))
})

afterEach(async () => {
  await engine.close()
  await rm(folder, { recursive: true })
})

/** 2: the commit waits until the disk has it. 1: it does not. */
async function syncOf(trx: Transaction<Schema>): Promise<bigint | undefined> {
  return (await sql<{ synchronous: bigint }>`pragma synchronous`.execute(trx)).rows[0]?.synchronous
}

const noteUse = (trx: Transaction<Schema>, key: string) =>
  trx.insertInto('rate_use').values({ key, at: 1, until: 2, cost: 3 }).execute()

test('a write waits for the disk, unless it may get there with the next one', async () => {
  expect(await engine.write('spend', syncOf)).toBe(2n)
  expect(await engine.write('spend', syncOf, 'with-next')).toBe(1n)
  expect(await engine.write('spend', syncOf)).toBe(2n)
  expect(await engine.write('spend', syncOf, 'at-once')).toBe(2n)
})

test('after one that failed, and among many at once, each waits as it should', async () => {
  const failing = engine.write('spend', () => Promise.reject(new Error('stop')), 'with-next')
  await expect(failing).rejects.toThrow('stop')
  const seen = await Promise.all(
    Array.from({ length: 20 }, (_, index) => engine.write('spend', syncOf, index % 2 === 0 ? 'with-next' : 'at-once')),
  )
  expect(seen).toEqual(seen.map((_, index) => (index % 2 === 0 ? 1n : 2n)))
})

test('one that met a busy database leaves its setting to nobody else', async () => {
  const holder = openDatabase(join(folder, 'state.db'))
  holder.exec('begin immediate')
  const later = engine.write('spend', syncOf, 'with-next')
  // In turn after the first try of that one, which fails.
  await engine.read(async () => holder.exec('commit'))
  expect(await Promise.all([engine.write('spend', syncOf, 'at-once'), later])).toEqual([2n, 1n])
  holder.close()
})

test('what may get to the disk later is there for every process at once', async () => {
  await engine.write('rate limits', (trx) => noteUse(trx, 'soon'), 'with-next')
  const other = openDatabase(join(folder, 'state.db'))
  expect(other.prepare('select "key" from rate_use').all([])).toEqual([{ key: 'soon' }])
  other.close()
})

test('a read waits its turn: it sees nothing that is not committed, and nothing that was taken back', async () => {
  const ask = preparedQuery<{ readonly key: string }, { readonly key: string }>((db, value) =>
    db.selectFrom('rate_use').select('key').where('key', '=', value('key')),
  )
  const seen: number[] = []
  const look = async (key: string) => void seen.push((await engine.read((db) => ask(db, { key }))).length)
  const undone = engine.write('spend', async (trx) => {
    await noteUse(trx, 'undone')
    expect(await ask(trx, { key: 'undone' })).toHaveLength(1)
    await new Promise(setImmediate)
    throw new Error('stop')
  })
  const kept = engine.write('spend', (trx) => noteUse(trx, 'kept'))
  await Promise.all([expect(undone).rejects.toThrow('stop'), look('undone'), kept, look('kept')])
  expect(seen).toEqual([0, 1])
})

test('a query of one row gives it plain or nothing, holds no snapshot, and sees a table that was altered since', async () => {
  const ask = preparedRow<{ readonly key: string }, object>((db, value) =>
    db.selectFrom('rate_use').selectAll().where('key', '=', value('key')),
  )
  const raise = preparedRow<{ readonly key: string }, object>((db, value) =>
    db.updateTable('rate_use').set({ cost: 4 }).where('key', '=', value('key')).returning('cost'),
  )
  const other = openDatabase(join(folder, 'state.db'))
  const isFree = () => expect(other.pragma('wal_checkpoint(truncate)')).toMatchObject([{ busy: 0n }])
  await engine.write('spend', (trx) => noteUse(trx, 'one'))
  const row = await engine.read((db) => ask(db, { key: 'one' }))
  isFree()
  expect(Object.keys(row ?? {})).toEqual(['sequence', 'key', 'at', 'until', 'cost'])
  expect(await engine.write('spend', (trx) => raise(trx, { key: 'one' }))).toEqual({ cost: 4n })
  isFree()
  other.exec('alter table rate_use add column more')
  expect(await engine.read((db) => ask(db, { key: 'one' }))).toEqual({ ...row, cost: 4n, more: null })
  expect(await engine.read((db) => ask(db, { key: 'none' }))).toBeUndefined()
  other.close()
})

test('a search gives all rows or none, and holds no snapshot', async () => {
  const ask = preparedSearch<{ readonly cost: bigint }, { readonly key: string }>((db, value) =>
    db.selectFrom('rate_use').select('key').where('cost', '=', value('cost')).orderBy('sequence'),
  )
  const other = openDatabase(join(folder, 'state.db'))
  const isFree = () => expect(other.pragma('wal_checkpoint(truncate)')).toMatchObject([{ busy: 0n }])
  for (const key of ['one', 'two', 'three']) await engine.write('spend', (trx) => noteUse(trx, key))
  expect(await engine.read((db) => ask(db, { cost: 3n }))).toEqual([{ key: 'one' }, { key: 'two' }, { key: 'three' }])
  isFree()
  expect(await engine.read((db) => ask(db, { cost: 4n }))).toEqual([])
  isFree()
  other.close()
})

test('a signature waits for the disk; what nothing rests on yet, what is settled again, and what the chain tells again, do not', async () => {
  const waits: Durability[] = []
  const watched: Engine = {
    ...engine,
    write: (lock, work, durability = 'at-once') => {
      waits.push(durability)
      return engine.write(lock, work, durability)
    },
  }
  const [journal, ledger] = [createJournal(watched, () => 1), createLedger(watched, () => 1)]
  const limits = { perTransaction: 10n, perSession: 10n, daily: 10n }
  const spend = { principal: 'p', chainId: 1, amountUsdMicros: 1n, limits, sessionIdleMs: 1 }
  await ledger.reserve({ ...spend, id: 'r/0', requestId: 'r' })
  const hash = `0x${'1'.repeat(64)}` as const
  const slot = { requestId: 'r', step: 0, chainId: 1, from: `0x${'a'.repeat(40)}`, nonce: 0, attempt: 0 } as const
  await journal.recordSigned({ ...slot, rawTransaction: '0x', hash, reservationId: 'r/0' })
  for (const state of ['broadcast', 'mined', 'final'] as const) await journal.mark(hash, state)
  await ledger.settle('r/0', 1n)
  const soon = 'with-next'
  expect(waits).toEqual([soon, 'at-once', soon, soon, soon, soon])
})

test.each(['reverted', 'replaced', 'superseded', 'refused'] as const)(
  'that it is %s waits for the disk',
  async (state) => {
    const waits: Durability[] = []
    const write: Engine['write'] = (lock, work, durability = 'at-once') => {
      waits.push(durability)
      return engine.write(lock, work, durability)
    }
    const journal = createJournal({ ...engine, write }, () => 1)
    const hash = `0x${'1'.repeat(64)}` as const
    const slot = { requestId: 'r', step: 0, chainId: 1, from: `0x${'a'.repeat(40)}`, nonce: 0, attempt: 0 } as const
    await journal.recordSigned({ ...slot, rawTransaction: '0x', hash, reservationId: null })
    await journal.mark(hash, state)
    expect(waits).toEqual(['at-once', 'at-once'])
  },
)
