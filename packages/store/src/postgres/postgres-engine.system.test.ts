import { execFile } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { usePostgres } from '@svc/devnet/testing'
import { sql } from 'kysely'
import { Client, types } from 'pg'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../engine.ts'
import { createJournal } from '../journal/journal.ts'
import { openStore, type Store } from '../open-store.ts'
import { openPostgresEngine } from './postgres-engine.ts'
import { StoreError } from '../store-error.ts'

const postgres = usePostgres({ ownServer: true })
const limits = { perTransaction: 10n, perSession: 150n, daily: 150n }

describe('a database that is killed', () => {
  test('loses nothing it acknowledged, and works again by itself', async () => {
    const store = await openStore({ url: await postgres().newSchema(), now: Date.now })
    const kept: string[] = []
    const errors: unknown[] = []
    const stop = new AbortController()
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; !stop.signal.aborted; index += 1) {
        const key = `${writer}-${index}`
        try {
          await store.idempotency.begin(callOf(key))
          kept.push(key)
        } catch (error) {
          errors.push(error)
          await sleep(5)
        }
      }
    })
    await expect.poll(() => kept.length).toBeGreaterThan(50)
    await postgres().kill()
    await expect.poll(() => errors.length).toBeGreaterThan(20)
    const before = kept.length
    await postgres().restart()
    await expect.poll(() => kept.length).toBeGreaterThan(before + 50)
    stop.abort()
    await Promise.all(writers)
    const codes = errors.map((error) => (error instanceof StoreError ? error.code : error))
    expect(codes).toEqual(codes.map(() => expect.stringMatching(/^STORE_(UNAVAILABLE|IN_DOUBT)$/)))
    const states = await inTurn(kept, async (key) => (await store.idempotency.begin(callOf(key))).state)
    expect(new Set(states)).toEqual(new Set(['running']))
    await store.close()
  })

  test('fails every method with one code while it is away, and none after', async () => {
    const store = await openStore({ url: await postgres().newSchema(), now: Date.now })
    const methods = methodsOf(store)
    await postgres().kill()
    const outcomes = await Promise.allSettled(methods.map((method) => method()))
    await postgres().restart()
    expect(outcomes).toEqual(
      outcomes.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'STORE_UNAVAILABLE', message: 'The database cannot be reached.' }),
      })),
    )
    await inTurn(methods, (method) => method())
    await store.close()
  })

  test('is noticed on connections that died unused, all of them: the call is made on a new one', async () => {
    const relay = await relayTo(await postgres().newSchema())
    const engine = await openPostgresEngine(relay.url)
    for (const use of [count, (of: Engine) => write(of, 'a')]) {
      await Promise.all(Array.from({ length: 10 }, () => engine.read((db) => sql`select pg_sleep(0.1)`.execute(db))))
      expect(relay.open()).toBeGreaterThanOrEqual(10)
      relay.cutAtNextUse()
      const made = relay.made()
      await use(engine)
      expect(relay.made()).toBe(made + 1)
    }
    expect(await count(engine)).toBe(1n)
    await engine.close()
    await relay.close()
  })

  test('is not asked again where a new connection is cut off, or the work had begun', async () => {
    const relay = await relayTo(await postgres().newSchema())
    const engine = await openPostgresEngine(relay.url)
    let times = 0
    const begun = engine.write('idempotency', async (trx) => {
      times += 1
      relay.cutAtNextUse()
      await trx.insertInto('idempotency').values(rowOf('a')).execute()
    })
    await expect(begun).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(times).toBe(1)
    await write(engine, 'b')
    relay.cutAtNextUse()
    relay.refuse()
    const made = relay.made()
    await expect(count(engine)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(relay.made()).toBe(made + 1)
    await engine.close()
    await relay.close()
  })
})

describe('a commit that is cut off', () => {
  test('is told apart from a write that was not done', async () => {
    const engine = await openPostgresEngine(await postgres().newSchema())
    const cut = engine.write('idempotency', async (trx) => {
      await trx.insertInto('idempotency').values(rowOf('a')).execute()
      await postgres().kill()
    })
    await expect(cut).rejects.toMatchObject({ code: 'STORE_IN_DOUBT' })
    await postgres().restart()
    const early = engine.write('idempotency', async (trx) => {
      await postgres().kill()
      await trx.insertInto('idempotency').values(rowOf('b')).execute()
    })
    await expect(early).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await postgres().restart()
    await engine.close()
  })

  test.each([
    ['was done', true],
    ['was not done', false],
  ])('of a signature is looked up: it %s', async (_what, isDone) => {
    const engine = await openPostgresEngine(await postgres().newSchema())
    const cuts = [new StoreError('STORE_IN_DOUBT', 'cut off'), new StoreError('STORE_UNAVAILABLE', 'still away')]
    const failing: Engine = {
      ...engine,
      async write(lock, work) {
        const cut = cuts.shift()
        if (cut === undefined) return await engine.write(lock, work)
        if (isDone && cut.code === 'STORE_IN_DOUBT') await engine.write(lock, work)
        throw cut
      },
    }
    const journal = createJournal(failing, () => 7)
    const slot = { requestId: 'r', step: 0, chainId: 1, from: '0x01', nonce: 0, attempt: 0 } as const
    const entry = { ...slot, rawTransaction: '0x02', hash: '0x03', reservationId: null } as const
    const outcome = await journal.recordSigned(entry).catch((error: unknown) => error)
    expect(outcome).toMatchObject(isDone ? { ...entry, state: 'signed', signedAt: 7 } : { code: 'STORE_UNAVAILABLE' })
    expect(await journal.byHash('0x03')).toEqual(isDone ? outcome : null)
    await engine.close()
  })
})

describe('a write', () => {
  test('is serialised however many connections race for a cap', async () => {
    const url = await postgres().newSchema()
    const patient = { url, now: Date.now, patienceMs: 120_000 }
    const stores = await Promise.all([0, 1, 2].map(() => openStore(patient)))
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, (_, index) => stores[index % 3]!.ledger.reserve(spendOf(`${index}`))),
    )
    expect(verdicts.filter(({ granted }) => granted)).toHaveLength(150)
    const usage = await stores[0]!.ledger.usage('agent', { sessionIdleMs: 1_800_000 })
    expect(usage.dailyUsdMicros).toBe(150n)
    await Promise.all(stores.map((store) => store.close()))
  })

  test('is serialised where the database would give every transaction a frozen view', async () => {
    const url = withSetting(await postgres().newSchema(), 'default_transaction_isolation=repeatable\\ read')
    const store = await openStore({ url, now: Date.now })
    const few = { ...limits, perSession: 5n, daily: 5n }
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.ledger.reserve({ ...spendOf(`${index}`), limits: few })),
    )
    expect(verdicts.filter(({ granted }) => granted)).toHaveLength(5)
    await store.close()
  })

  test.each(['default_transaction_isolation=repeatable\\ read', 'default_transaction_read_only=on'])(
    'of one statement waits for those beside it, and writes, where the database says %s',
    async (setting) => {
      const url = withSetting(await postgres().newSchema(), setting)
      const stores = await Promise.all([0, 1].map(() => openStore({ url, now: Date.now })))
      const asks = Array.from({ length: 40 }, (_, index) => {
        const { rateLeases } = stores[index % 2]!
        return rateLeases.lease([{ key: 'token:a', perMinute: 60, most: 1 }])
      })
      expect((await Promise.all(asks)).map(([leased]) => leased?.granted)).toEqual(asks.map(() => 1))
      for (const store of stores) await store.close()
    },
  )

  test('is on disk when it resolves, where the database would answer before', async () => {
    const engine = await openPostgresEngine(withSetting(await postgres().newSchema(), 'synchronous_commit=off'))
    const show = sql<{ synchronous_commit: string }>`show synchronous_commit`
    expect((await engine.read((db) => show.execute(db))).rows).toEqual([{ synchronous_commit: 'off' }])
    expect((await engine.write('spend', (trx) => show.execute(trx))).rows).toEqual([{ synchronous_commit: 'on' }])
    await engine.close()
  })

  test('that fails leaves nothing, says why, and the next one works', async () => {
    const engine = await openPostgresEngine(await postgres().newSchema())
    const failing = engine.write('idempotency', async (trx) => {
      await trx.insertInto('idempotency').values(rowOf('a')).execute()
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    const swallowed = engine.write('idempotency', async (trx) => {
      await trx.insertInto('idempotency').values(rowOf('b')).execute()
      await sql`select 1 / 0`.execute(trx).catch(() => {})
    })
    await expect(swallowed).rejects.toThrow(TypeError)
    await engine.write('idempotency', (trx) => trx.insertInto('idempotency').values(rowOf('c')).execute())
    const rows = await engine.read((db) => db.selectFrom('idempotency').select(['key', 'created_at']).execute())
    expect(rows).toEqual([{ key: 'c', created_at: 2n ** 53n - 1n }])
    await engine.close()
  })

  test.each([Number.NaN, 2n ** 63n, 'cut\u0000off', undefined])(
    'refuses parameter %#, as the other engine',
    async (given) => {
      const engine = await openPostgresEngine(await postgres().newSchema())
      await expect(engine.read((db) => sql`select ${given}`.execute(db))).rejects.toThrow(TypeError)
      await engine.close()
    },
  )

  test('reads integers as bigints on its own connections, and changes nothing for others', async () => {
    const engine = await openPostgresEngine(await postgres().newSchema())
    const read = sql`select 9223372036854775807::int8 as wide, 7::int4 as middle, 1::int2 as narrow`
    expect((await engine.read((db) => read.execute(db))).rows).toEqual([
      { wide: 2n ** 63n - 1n, middle: 7n, narrow: 1n },
    ])
    expect(types.getTypeParser(20)('7')).toBe('7')
    await engine.close()
  })
})

describe('opening', () => {
  test('makes the tables once, however many do it at the same time', async () => {
    const url = await postgres().newSchema()
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore({ url, now: Date.now })))
    await stores[0]!.idempotency.begin(callOf('a'))
    expect((await stores[5]!.idempotency.begin(callOf('a'))).state).toBe('running')
    await Promise.all(stores.map((store) => store.close()))
    const steps = await query(url, 'select name from kysely_migration order by name')
    expect(steps.length).toBeGreaterThan(1)
    expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length)
  })

  test('a database of a newer version is refused', async () => {
    const url = await postgres().newSchema()
    await (await openStore({ url, now: Date.now })).close()
    await query(url, "insert into kysely_migration (name, timestamp) values ('9999-later', '2030')")
    await expect(openStore({ url, now: Date.now })).rejects.toMatchObject({ code: 'STORE_SCHEMA_UNKNOWN' })
  })

  test.each([
    ['not a url', 'STORE_URL_INVALID', 'of the form'],
    ['mysql://root@127.0.0.1/db', 'STORE_URL_INVALID', 'of the form'],
    ['postgres://someone:hunter2@127.0.0.1:1/db', 'STORE_UNAVAILABLE', 'cannot be reached'],
  ])('%s is refused with %s', async (url, code, text) => {
    const refusal = await openStore({ url, now: Date.now }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(text) })
    expect(String(refusal)).not.toContain('hunter2')
  })

  test('says what is wrong: the name of the database, the user, the schema', async () => {
    const missing = new URL(postgres().url)
    missing.pathname = '/nowhere'
    const stranger = new URL(postgres().url)
    stranger.username = 'stranger'
    const schema = withSetting(postgres().url, 'search_path=nowhere')
    const refusals = [missing.href, stranger.href, schema].map((url) =>
      openStore({ url, now: Date.now }).catch((error: unknown) => error),
    )
    expect(await Promise.all(refusals)).toMatchObject([
      { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('no database of the name') },
      { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('refuses the user') },
      { code: 'STORE_URL_INVALID', message: expect.stringContaining('schema') },
    ])
  })

  test('a file does not load the client of the database', async () => {
    const built = JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)
    const program = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(
  'export async function load(url, context, next) { if (/node_modules.pg/.test(url)) throw new Error(url); return next(url, context) }'))
const { openStore } = await import(${built})
await (await openStore({ path: ':memory:', now: Date.now })).close()
await openStore({ url: 'postgres://127.0.0.1:1/x', now: Date.now }).catch((error) => console.log(error.message))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    expect(stdout).toMatch(/node_modules.pg/)
  })
})

function methodsOf(store: Store): (() => Promise<unknown>)[] {
  const { journal, ledger, idempotency, operations } = store
  return [
    () => journal.open(1, '0x01'),
    () => journal.nextNonce(1, '0x01'),
    () => ledger.reserve(spendOf('once')),
    () => ledger.check(spendOf('a')),
    () => ledger.usage('agent', { sessionIdleMs: 1 }),
    () => ledger.open(),
    () => ledger.releaseUnsigned(),
    () => idempotency.begin(callOf('a')),
    () => operations.list({ principalId: null, limit: 1 }),
    () => operations.due(1),
    () => operations.interrupted(),
  ]
}

function count(engine: Engine): Promise<bigint | undefined> {
  const all = sql<{ all: bigint }>`select count(*) as all from idempotency`
  return engine.read(async (db) => (await all.execute(db)).rows[0]?.all)
}

async function write(engine: Engine, key: string): Promise<void> {
  await engine.write('idempotency', (trx) => trx.insertInto('idempotency').values(rowOf(key)).execute())
}

/** Stands before the database and cuts connections off the way a firewall does: noticed by the one who uses them next. */
async function relayTo(target: string) {
  const { hostname, port } = new URL(target)
  const state = { made: 0, refuses: false }
  const doomed = new WeakSet<Socket>()
  const sockets = new Set<Socket>()
  const relay = createServer((near) => {
    state.made += 1
    if (state.refuses) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    sockets.add(near)
    near.on('data', (bytes) => (doomed.has(near) ? near.destroy() : far.write(bytes)))
    far.on('data', (bytes) => near.write(bytes))
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      one.on('error', () => {}).on('close', () => other.destroy())
    }
    near.on('close', () => sockets.delete(near))
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const address = relay.address()
  const url = new URL(target)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url: url.href,
    /** How many connections were ever made, and how many are. */
    made: () => state.made,
    open: () => sockets.size,
    cutAtNextUse: () => sockets.forEach((socket) => doomed.add(socket)),
    refuse: () => void (state.refuses = true),
    close: () => new Promise((resolve) => relay.close(resolve)),
  }
}

function callOf(key: string) {
  return { principalId: 'agent', key, bodyHash: 'body', requestId: 'request' }
}

function spendOf(id: string) {
  return { id, requestId: id, principal: 'agent', chainId: 1, amountUsdMicros: 1n, limits, sessionIdleMs: 1_800_000 }
}

function rowOf(key: string) {
  const name = { principal: 'agent', key, body_hash: 'b', request_id: 'r', run: 'r', state: 'running' }
  return { ...name, created_at: Number.MAX_SAFE_INTEGER }
}

function withSetting(url: string, setting: string): string {
  const own = new URL(url)
  own.searchParams.set('options', `${own.searchParams.get('options') ?? ''} -c ${setting}`.trim())
  return own.href.replaceAll('+', '%20')
}

async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows
  } finally {
    await client.end()
  }
}

async function inTurn<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}
