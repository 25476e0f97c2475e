import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usePostgres } from '@svc/devnet/testing'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { newOperation } from '../operations/operations.fixture.ts'
import { openStore } from '../open-store.ts'
import { restored, takeCopy } from './take-copy.fixture.ts'
import { type StateCopy, writeState } from './write-state.ts'

const postgres = usePostgres()

test('a database on which a server runs is refused, one that holds anything else, and one that holds this copy is left as it is', async () => {
  const copy = await copyOf('first')
  const url = await postgres().newSchema()
  const server = await openStore({ url, now: Date.now })
  await server.leases.acquire({ name: 'server', holder: 'a server', within: 'store' })
  await expect(writeState({ url }, copy, restored)).rejects.toMatchObject({ code: 'LEASE_HELD' })
  await server.close()
  await writeState({ url }, copy, restored)
  const ids = await query(url, 'select xmin::text as written from operation')
  await writeState({ url }, copy, restored)
  expect(await query(url, 'select xmin::text as written from operation')).toEqual(ids)
  await expect(writeState({ url }, await copyOf('second'), restored)).rejects.toMatchObject({ code: 'STORE_NOT_EMPTY' })
})

test('what servers that only read have kept is in the way of no restore, before it, beside it and when it is made again', async () => {
  const copy = await copyOf('first')
  const url = await postgres().newSchema()
  const reader = await openStore({ url, now: Date.now })
  const keep = (address: string) => reader.tokens.keep({ chainId: 1, address }, '{}')
  await keep('0x01')
  const kept: Promise<void>[] = []
  const beside: StateCopy = {
    ...copy,
    async *rows(table) {
      yield* copy.rows(table)
      if (table === 'operation') kept.push(keep('0x02'))
    },
  }
  await writeState({ url }, beside, restored)
  await Promise.all(kept)
  expect(await query(url, 'select address from token_fact')).toEqual([{ address: '0x02' }])
  await writeState({ url }, copy, restored)
  expect(await query(url, 'select id from operation')).toEqual([{ id: 'first' }])
  await reader.close()
})

test('a copy in which a row was changed is put into no database', async () => {
  const copy = await copyOf('first')
  const url = await postgres().newSchema()
  const tables = copy.tables.map((table) => (table.name === 'operation' ? { ...table, digest: '0'.repeat(64) } : table))
  await expect(writeState({ url }, { ...copy, tables }, restored)).rejects.toMatchObject({ code: 'STORE_COPY_DAMAGED' })
  expect(await query(url, 'select id from operation')).toEqual([])
})

test('one that is cut off in the middle leaves a database without a row, into which it goes the next time', async () => {
  const copy = await copyOf('first')
  const url = await postgres().newSchema()
  const cutOff: StateCopy = {
    ...copy,
    async *rows(table) {
      yield* copy.rows(table)
      if (table === 'operation') await endSessions(url)
    },
  }
  await expect(writeState({ url }, cutOff, restored)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await query(url, 'select id from operation')).toEqual([])
  await writeState({ url }, copy, restored)
  expect(await query(url, 'select id from operation')).toEqual([{ id: 'first' }])
})

/** Of a store with one operation in it. */
async function copyOf(id: string): Promise<StateCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const path = join(folder, 'state.db')
  const store = await openStore({ path, now: Date.now })
  await store.memory
    .of('ann')
    .keep({ kind: 'episode', chainId: 1, pair: 'a-b', subject: null, confidence: 1, content: '{}' })
  await store.operations.create(newOperation(id))
  await store.close()
  const copy = await takeCopy({ path })
  await rm(folder, { recursive: true })
  return copy
}

/** Of the transaction that fills it; the lease goes with its own. */
async function endSessions(url: string): Promise<void> {
  await query(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and state = 'idle in transaction' and datname = current_database()`,
  )
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
