import { Kysely, SqliteAdapter } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { journalQueries } from './journal-queries.ts'
import { migrate } from '../migrations.ts'
import { openDatabase } from '../sqlite/sqlite-engine.ts'
import type { Schema } from '../schema.ts'
import { createSqliteDialect } from '../sqlite/sqlite-dialect.ts'
import { uncountedGas } from '../ledger/count-gas.ts'

const account = { chainId: 1n, from: '0x00000000000000000000000000000000000000aa' }
let asked: { readonly sql: string; readonly parameters: readonly unknown[] }[]
let database: ReturnType<typeof openDatabase>
let db: Kysely<Schema>

beforeEach(async () => {
  asked = []
  database = openDatabase(':memory:')
  // Through the builder, which tells what it passes on.
  const dialect = { ...createSqliteDialect(database), createAdapter: () => new SqliteAdapter() }
  db = new Kysely({ dialect, log: ({ query }) => void asked.push(query) })
  database.exec('begin immediate')
  await migrate(db, { name: 'sqlite' })
  database.exec('commit')
  asked.length = 0
})

afterEach(() => db.destroy())

test.each([
  ['open', 'journal_open'],
  ['refused', 'journal_refused'],
  ['openWallets', 'journal_open'],
  ['refusedWallets', 'journal_refused'],
  ['asked', 'journal_asked'],
] as const)('what is %s is found by an index of its own, however long the journal is', async (name, index) => {
  await journalQueries()[name](db, account)
  expect(planOf(0)).toContain(index)
  expect(planOf(0)).not.toContain('TEMP B-TREE')
})

test('gas that is not counted is found by an index of its own', async () => {
  await uncountedGas(db, 1)
  expect(planOf(0)).toContain('journal_uncounted')
})

test.each([
  ['the highest nonce', 'highest', 'journal_slot'],
  ['a transaction by its hash', 'byHash', 'sqlite_autoindex'],
  ['the transactions of a request', 'byRequest', 'journal_request'],
  ['the attempts at a nonce', 'byNonce', 'journal_slot'],
] as const)('%s is found by an index', async (_what, name, index) => {
  await journalQueries()[name](db, { ...account, hash: '0x1', requestId: 'r', nonce: 1n })
  expect(planOf(0)).toContain(index)
  expect(planOf(0)).not.toContain('SCAN')
})

test('whether a place is taken is found by its hash, its slot and its request, not among all that an account has sent', async () => {
  const slot = { hash: '0x1', requestId: 'r', step: 0n, nonce: 1n, attempt: 0n }
  await journalQueries().taken(db, { ...account, ...slot })
  for (const index of ['sqlite_autoindex', 'nonce=? AND attempt=?', 'journal_request']) {
    expect(planOf(0)).toContain(index)
  }
})

test('a query is compiled once and asked with the values of each time', async () => {
  const ask = journalQueries()
  await ask.byHash(db, { hash: '0x1' })
  await ask.byHash(db, { hash: '0x2' })
  expect(asked.map(({ parameters }) => parameters)).toEqual([['0x1'], ['0x2']])
  expect(asked[0]?.sql).toBe(asked[1]?.sql)
})

function planOf(index: number): string {
  const { sql, parameters } = asked[index]!
  const rows: unknown = database.prepare(`explain query plan ${sql}`).all([...parameters])
  return JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
}
