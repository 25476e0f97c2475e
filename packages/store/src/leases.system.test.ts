import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { usePostgres } from '@svc/devnet/testing'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from './engines.fixture.ts'
import type { Lease } from './leases.ts'
import { openStore, type Store } from './open-store.ts'

const writer = { name: 'writer:1:0x01', holder: 'server a' }

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  let at: TestPlace
  let store: Store

  beforeEach(async () => {
    at = await newPlace()
    store = await openStore({ ...at.place, now: Date.now })
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('a lease has one holder, until it is released', async () => {
    const lease = await store.leases.acquire(writer)
    expect(lease.isHeld()).toBe(true)
    const refusal = store.leases.acquire({ ...writer, holder: 'b' })
    await expect(refusal).rejects.toMatchObject({
      code: 'LEASE_HELD',
      message: expect.stringContaining('writer:1:0x01'),
    })
    const other = await store.leases.acquire({ ...writer, name: 'writer:10:0x01' })
    await lease.release()
    await lease.release()
    expect([lease.isHeld(), other.isHeld()]).toEqual([false, true])
    expect((await store.leases.acquire(writer)).isHeld()).toBe(true)
  })

  test('one of many that race gets it', async () => {
    const racers = Array.from({ length: 20 }, () => store.leases.acquire(writer))
    expect((await Promise.allSettled(racers)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('is lost when the store is closed, and whoever asks later hears of it too', async () => {
    const lease = await store.leases.acquire(writer)
    const lost: string[] = []
    lease.onLost(() => lost.push('then'))
    await store.close()
    lease.onLost(() => lost.push('later'))
    expect([lost, lease.isHeld()]).toEqual([['then', 'later'], false])
    store = await openStore({ ...at.place, now: Date.now })
    await store.leases.acquire(writer)
  })
})

describe('between processes, on PostgreSQL', () => {
  const postgres = usePostgres({ ownServer: true })

  test('a second holder hears who has it, and gets it the moment that one is killed', async () => {
    const { url } = postgres()
    const child = await holdElsewhere(url)
    const store = await openStore({ url, now: Date.now })
    await expect(store.leases.acquire(writer)).rejects.toThrow(
      'Another process (the first) holds the lease "writer:1:0x01".',
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expect.poll(() => store.leases.acquire(writer).catch(() => null)).not.toBeNull()
    await store.close()
  })

  test('is free again when the process that holds it stands still', async () => {
    const { url } = postgres()
    const child = await holdElsewhere(url)
    child.kill('SIGSTOP')
    const store = await openStore({ url, now: Date.now })
    await expect.poll(() => store.leases.acquire(writer).catch(() => null)).not.toBeNull()
    child.kill('SIGKILL')
    await once(child, 'exit')
    await store.close()
  })

  test('keeps apart all of the database, or only who shares the tables', async () => {
    const urls = [await postgres().newSchema(), await postgres().newSchema()]
    const [one, other] = await Promise.all(urls.map((url) => openStore({ url, now: Date.now })))
    await Promise.all([one!, other!].map(({ leases }) => leases.acquire({ ...writer, within: 'store' })))
    await one!.leases.acquire({ ...writer, name: 'for all' })
    await expect(other!.leases.acquire({ ...writer, name: 'for all' })).rejects.toMatchObject({ code: 'LEASE_HELD' })
    await Promise.all([one!.close(), other!.close()])
  })

  test('is lost with its session, is refused while another has it, and can be had again', async () => {
    const { url } = postgres()
    const [store, other] = await Promise.all([0, 1].map(() => openStore({ url, now: Date.now })))
    const lease = await store!.leases.acquire(writer)
    const second = await store!.leases.acquire({ ...writer, name: 'writer:10:0x01' })
    const gone = Promise.all([lost(lease), lost(second)])
    await endLeaseSessions(url)
    await gone
    expect([lease.isHeld(), second.isHeld()]).toEqual([false, false])
    // The database tells of a session's end before it lets go of what the session held.
    await expect.poll(() => other!.leases.acquire(writer).catch(() => null)).not.toBeNull()
    await expect(store!.leases.acquire(writer)).rejects.toMatchObject({ code: 'LEASE_HELD' })
    await other!.close()
    await expect
      .poll(() =>
        store!.leases.acquire(writer).then(
          (again) => again.isHeld(),
          () => false,
        ),
      )
      .toBe(true)
    await store!.close()
  })

  test('is lost when the database is killed, cannot be had while it is away, and can be after', async () => {
    const store = await openStore({ url: postgres().url, now: Date.now })
    const lease = await store.leases.acquire(writer)
    const gone = lost(lease)
    await postgres().kill()
    await gone
    await expect(store.leases.acquire(writer)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await postgres().restart()
    expect((await store.leases.acquire(writer)).isHeld()).toBe(true)
    expect(lease.isHeld()).toBe(false)
    await store.close()
  })
})

/** A process that holds the lease until it is killed. */
async function holdElsewhere(url: string): Promise<ChildProcess> {
  const built = JSON.stringify(new URL('../dist/index.js', import.meta.url).href)
  const program = `const { openStore } = await import(${built})
const { leases } = await openStore({ url: ${JSON.stringify(url)}, now: Date.now })
await leases.acquire({ name: 'writer:1:0x01', holder: 'the first' })
console.log('held')
setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

function lost(lease: Lease): Promise<void> {
  return new Promise((resolve) => lease.onLost(resolve))
}

async function endLeaseSessions(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'svc lease %'")
  await client.end()
}
