import { usePostgres } from '@svc/devnet/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NewJournalEntry } from '@svc/wallet/core'
import { Client } from 'pg'
import { openStore, type Store } from './open-store.ts'

const postgres = usePostgres()
const opened: Store[] = []
let url: string
let one: Store
let other: Store
/** As a command beside the servers. */
let beside: Store

beforeEach(async () => {
  url = await postgres().newSchema()
  ;[one, other, beside] = [await open(), await open(), await open()]
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

async function open(): Promise<Store> {
  const store = await openStore({ url, now: Date.now })
  opened.push(store)
  return store
}

const heads = new Map<Store, { seq: number; hash: string }>()
const lead = (store: Store, place = 'a') =>
  store.leadership!.lead({ holder: `process of ${place}`, place, at: 1_000 }, () => heads.get(store) ?? null)

function entry(nonce: number): NewJournalEntry {
  const hash = `0x${String(nonce).padStart(64, '0')}` as const
  const from = '0x00000000000000000000000000000000000000aa'
  return {
    requestId: `r-${nonce}`,
    step: 0,
    chainId: 1,
    from,
    nonce,
    attempt: 0,
    rawTransaction: '0x02',
    hash,
    reservationId: null,
  }
}

test('who led before writes nothing from the commit on in which another takes the lead', async () => {
  await lead(one)
  await one.journal.recordSigned(entry(0))
  expect(await lead(other, 'b')).toMatchObject({ epoch: 2n, before: { place: 'a', holder: 'process of a', epoch: 1n } })
  const notLeader = { code: 'NOT_LEADER' }
  await expect(one.journal.recordSigned(entry(1))).rejects.toMatchObject(notLeader)
  await expect(one.journal.mark(entry(0).hash, 'broadcast')).rejects.toMatchObject(notLeader)
  await expect(one.ledger.releaseUnsigned()).rejects.toMatchObject(notLeader)
  await expect(one.switches.replace('breaker', '{}')).rejects.toMatchObject(notLeader)
  await expect(one.leadership!.keep()).rejects.toMatchObject(notLeader)
  expect(await beside.journal.byHash(entry(1).hash)).toBeNull()
  await other.journal.recordSigned(entry(1))
  expect(await other.leadership!.read()).toMatchObject({ place: 'b', holder: 'process of b', since: 1_000 })
})

test('who is overtaken hears of it in its next commit, once, and asks the database no more', async () => {
  await lead(one)
  const heard: string[] = []
  one.leadership!.onOvertaken(() => heard.push('overtaken'))
  await one.journal.recordSigned(entry(0))
  expect(heard).toEqual([])
  await lead(other, 'b')
  for (const nonce of [1, 2]) {
    await expect(one.journal.recordSigned(entry(nonce))).rejects.toMatchObject({ code: 'NOT_LEADER' })
  }
  expect(heard).toEqual(['overtaken'])
  await lead(one)
  await one.journal.recordSigned(entry(1))
  expect(heard).toEqual(['overtaken'])
})

test('the lead waits for a commit that has looked at the epoch before', async () => {
  await lead(one)
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query('select epoch from leadership for share')
  const order: string[] = []
  const taking = lead(other, 'b').then(() => order.push('led'))
  await expect.poll(async () => (await waiting(url)).length).toBeGreaterThan(0)
  order.push('committed')
  await client.query('commit')
  await taking
  await client.end()
  expect(order).toEqual(['committed', 'led'])
})

test('a follower writes nothing of what is the leader’s, and what all servers share it does', async () => {
  one.leadership!.follow()
  await expect(one.journal.recordSigned(entry(0))).rejects.toMatchObject({ code: 'NOT_LEADER' })
  await one.rateLeases.lease([{ key: 'k', perMinute: 10, most: 1 }])
  await one.switches.replace('paused', '{}')
  expect(await other.switches.read('paused')).toBe('{}')
  // A command beside the servers is neither.
  await beside.journal.recordSigned(entry(0))
})

test('a pause is ended and noted in one commit, and only as it was looked at', async () => {
  const { switches } = beside
  await switches.replace('paused', 'one')
  const end = (expected: string | null) =>
    other.switches.compareAndSet([
      { name: 'paused', expected, content: null },
      { name: 'resumed', expected: null, content: 'ended' },
    ])
  await lead(one)
  expect([await end(null), await end('another')]).toEqual([false, false])
  expect([await switches.read('paused'), await switches.read('resumed')]).toEqual(['one', null])
  // Of two at once one has ended it.
  expect((await Promise.all([end('one'), end('one')])).toSorted()).toEqual([false, true])
  expect([await switches.read('paused'), await switches.read('resumed')]).toEqual([null, 'ended'])
})

test('a pause is in force for whatever is recorded after its commit', async () => {
  await lead(one)
  await one.journal.recordSigned(entry(0), [], { unlessPaused: true })
  await other.switches.replace('paused', '{}')
  await expect(one.journal.recordSigned(entry(1), [], { unlessPaused: true })).rejects.toMatchObject({
    code: 'STORE_PAUSED',
  })
  // What ends a transaction that is out is signed all the same.
  await one.journal.recordSigned(entry(1))
  await other.switches.replace('paused', null)
  await one.journal.recordSigned(entry(2), [], { unlessPaused: true })
})

test('the end of the audit log is kept in the commit of what rests on it, and goes to whoever leads next', async () => {
  heads.set(one, { seq: 3, hash: 'c'.repeat(64) })
  await lead(one)
  await one.journal.recordSigned(entry(0))
  heads.set(one, { seq: 4, hash: 'd'.repeat(64) })
  await expect(one.journal.recordSigned(entry(0))).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
  expect((await lead(other, 'b')).before?.head).toEqual({ seq: 3, hash: 'c'.repeat(64) })
})

test('who ends in good order leaves the lead to nobody', async () => {
  await lead(one)
  await one.leadership!.resign()
  expect(await beside.leadership!.read()).toMatchObject({ holder: null, place: 'a' })
  await expect(one.journal.recordSigned(entry(0))).rejects.toMatchObject({ code: 'NOT_LEADER' })
})

test('a key that was taken under an earlier lead counts as cut off, also of the same opening', async () => {
  await lead(one)
  const claim = { principalId: 'p', key: 'k', bodyHash: 'b', requestId: 'r-1' }
  await one.idempotency.begin(claim)
  expect(await one.idempotency.begin({ ...claim, requestId: 'r-2' })).toMatchObject({
    state: 'running',
    isCutOff: false,
  })
  await lead(one)
  expect(await one.idempotency.begin({ ...claim, requestId: 'r-3' })).toMatchObject({
    state: 'running',
    isCutOff: true,
  })
})

test('a lease is held no longer than it was heard of, by a clock that goes on while nothing runs', async () => {
  const lease = await one.leases.acquire({ name: 'server', holder: 'us' })
  expect(lease.isHeld()).toBe(true)
  standStill(4_100)
  expect(lease.isHeld()).toBe(false)
  expect(await lease.confirm()).toBe(true)
  expect(lease.isHeld()).toBe(true)
  standStill(7_000)
  expect(lease.isHeld()).toBe(false)
  await (await other.leases.acquire({ name: 'server', holder: 'them' })).release()
  expect(await lease.confirm()).toBe(false)
}, 30_000)

/** As a process that is stopped: nothing of it runs. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Statements that wait for a lock of another. */
async function waiting(url: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("select pid from pg_stat_activity where wait_event_type = 'Lock'")
  await client.end()
  return rows
}
