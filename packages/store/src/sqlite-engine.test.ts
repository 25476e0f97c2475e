import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Transaction } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Engine } from './engine.ts'
import { openDatabase } from './open-database.ts'
import type { Schema } from './schema.ts'
import { openSqliteEngine } from './sqlite-engine.ts'

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

test('what may get to the disk later is there for every process at once', async () => {
  await engine.write('rate limits', (trx) => noteUse(trx, 'soon'), 'with-next')
  const other = openDatabase(join(folder, 'state.db'))
  expect(other.prepare('select "key" from rate_use').all([])).toEqual([{ key: 'soon' }])
  other.close()
})
