import type { Engine } from './engine.ts'
import { statSync } from 'node:fs'
import { StoreError } from './store-error.ts'
import { randomUUID } from 'node:crypto'
import { createBarStore, type BarStore, createTokenStore, type TokenStore } from './caches.ts'
import { createClaims, type Claims } from './claims/claims.ts'
import { createOperations } from './operations/create-operations.ts'
import { createIdempotency, type Idempotency } from './operations/idempotency.ts'
import { createJournal, type StoreJournal } from './journal/journal.ts'
import { createLedger, type Ledger } from './ledger/ledger.ts'
import { createFence, createLeadership, fencedEngine, type Leadership } from './leadership.ts'
import type { Leases } from './leases.ts'
import { createMemory, type Memory } from './memory.ts'
import type { Operations } from './operations/operations.ts'
import { createRestored, type Restored } from './backup/restored-copy.ts'
import { createOrders, type SignedOrders } from './orders/orders.ts'
import { createPendingRevocations, type PendingRevocations } from './pending-revocations.ts'
import { createPriceMemory, type PriceMemory } from './price-memory.ts'
import { createRateLeases, type RateLeases } from './claims/rate-leases.ts'
import { createRateLimits, type RateLimits } from './claims/rate-limits.ts'
import { createSharedSwitches, type SharedSwitches } from './shared-switches.ts'
import { createSignIns, type SignIns } from './sign-ins.ts'
import { openSqliteEngine } from './sqlite/sqlite-engine.ts'
import { lastSpendAt } from './ledger/spent.ts'
import { postgresTime, type StoreTime } from './store-time.ts'
import { createTasks, type Tasks } from './tasks.ts'
import { createWatches, type Watches } from './watches.ts'
import { createTransactions, type Transactions } from './journal/transactions.ts'

/**
 * Opens the durable state on one of two engines and brings the schema up to date: a file of embedded SQLite (mode 0600,
 * its directory 0700), or a PostgreSQL database. What a method has resolved is on disk, but for marks of the journal
 * that the chain tells again (see there), and for leases of rate limits where PostgreSQL is set to answer before. Several processes may have one
 * store open; only one of them is a server (see `acquireServerLock`). `now` gives Unix milliseconds. Throws
 * `STORE_SCHEMA_UNKNOWN` for a store of a newer version, `STORE_UNAVAILABLE` for a database that cannot be reached and
 * `STORE_URL_INVALID`.
 *
 * A reservation or a signature is refused with `STORE_REPLACED` once the file was deleted or replaced. While a database
 * is away every method throws `STORE_UNAVAILABLE`; whether a write that was on its way then was done is not known.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const fence = createFence()
  const engine = fencedEngine(await openEngine(options), fence)
  const { now } = options
  const time: StoreTime = 'url' in options && options.clock !== 'process' ? postgresTime : async () => now()
  const requireFile = inPlaceOf(options)
  const opening = randomUUID()
  // What a server left running when it stopped leading was cut off, also where it leads again.
  const run = () => `${opening}${fence.epoch() === 0n ? '' : `:${fence.epoch()}`}`
  const journal = createJournal(engine, now)
  // A clock that was set back while nothing ran must not make spends older than they are.
  const spentAt = await engine.read(lastSpendAt)
  const orders = createOrders(engine, now)
  const ledger = createLedger(engine, () => Math.max(now(), spentAt))
  return {
    journal: {
      ...journal,
      async recordSigned(...signed) {
        requireFile()
        return journal.recordSigned(...signed)
      },
    },
    ledger: {
      ...ledger,
      async reserve(request) {
        requireFile()
        return ledger.reserve(request)
      },
    },
    idempotency: createIdempotency(engine, now, run),
    operations: createOperations(engine, now, run),
    orders: {
      ...orders,
      async record(...recorded) {
        requireFile()
        return orders.record(...recorded)
      },
    },
    pendingRevocations: createPendingRevocations(engine),
    rateLimits: createRateLimits(engine, time),
    rateLeases: createRateLeases(engine, { now: time === postgresTime ? null : now, sideBySide: 'url' in options }),
    transactions: createTransactions(engine, now),
    claims: createClaims(engine, time),
    pins: createPins(engine, now),
    bars: createBarStore(engine),
    tokens: createTokenStore(engine, now),
    sightings: createPriceMemory(engine, now),
    memory: createMemory(engine, now),
    watches: createWatches(engine, now),
    tasks: createTasks(engine, now),
    signIns: createSignIns(engine, now),
    restored: createRestored(engine),
    leadership: 'url' in options ? createLeadership(engine, fence) : null,
    switches: createSharedSwitches(engine),
    leases: engine.leases,
    close: () => engine.close(),
  }
}

export type StoreOptions = StorePlace & { readonly now: () => number }

export type StorePlace =
  | {
      /** A file, or `:memory:` for state that lasts as long as the store. */
      readonly path: string
    }
  | {
      /** A database of PostgreSQL 14 or newer, as `postgres://user:password@host:port/name`. */
      readonly url: string
      /** How long a call waits for a connection, and how long for its answer; ten and fifteen seconds when absent. */
      readonly patienceMs?: number
      /**
       * Whose time the limits of rates and claims go by: the database's when absent, so that replicas whose clocks differ
       * count in one window; `process` takes `now`, for tests that turn it.
       */
      readonly clock?: 'database' | 'process'
    }

export type Store = {
  readonly journal: StoreJournal
  readonly ledger: Ledger
  readonly idempotency: Idempotency
  readonly operations: Operations
  readonly orders: SignedOrders
  readonly pendingRevocations: PendingRevocations
  readonly rateLimits: RateLimits
  readonly rateLeases: RateLeases
  readonly transactions: Transactions
  readonly claims: Claims
  readonly pins: Pins
  readonly bars: BarStore
  readonly tokens: TokenStore
  readonly sightings: PriceMemory
  readonly memory: Memory
  readonly watches: Watches
  readonly tasks: Tasks
  readonly signIns: SignIns
  readonly restored: Restored
  /** Which server writes; `null` where the state is a file, which one server has. */
  readonly leadership: Leadership | null
  /** What stops all servers of a database from signing. With a file, that stands in the data directory. */
  readonly switches: SharedSwitches
  readonly leases: Leases
  close(): Promise<void>
}

/** The client of PostgreSQL is loaded for a database only. */
async function openEngine(place: StorePlace): Promise<Engine> {
  if ('path' in place) return await openSqliteEngine(place.path)
  const { openPostgresEngine } = await import('./postgres/postgres-engine.ts')
  return await openPostgresEngine(place.url, place.patienceMs)
}

function inPlaceOf(place: StorePlace): () => void {
  return 'path' in place && place.path !== ':memory:' ? requireInPlace(place.path) : () => undefined
}

/**
 * Remembers which file stands at a path, and makes the check that it still does. A database whose file was deleted or
 * replaced goes on taking writes that nobody will ever read; the check throws `STORE_REPLACED` then. It looks without
 * leaving the thread, as the engine reads and writes the same file: that takes microseconds, a turn of the pool many.
 */
function requireInPlace(path: string): () => void {
  const opened = identityOf(path)
  return () => {
    if (isAt(path, opened)) return
    throw new StoreError('STORE_REPLACED', 'The file of the database was deleted or replaced while it was open.')
  }
}

function isAt(path: string, identity: string): boolean {
  try {
    return identityOf(path) === identity
  } catch {
    return false
  }
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}

/** Who pinned what, and the content behind a content identifier. Both are kept for good and never change. */
function createPins(engine: Engine, now: () => number): Pins {
  return {
    async has(appId, cid) {
      const row = await engine.read((db) =>
        db.selectFrom('pin').select('cid').where('app_id', '=', appId).where('cid', '=', cid).executeTakeFirst(),
      )
      return row !== undefined
    },
    record: (appId, cid) =>
      engine.write('pins', async (trx) => {
        const row = { app_id: appId, cid, created_at: now() }
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('pin')
          .values(row)
          .onConflict((conflict) => conflict.columns(['app_id', 'cid']).doNothing())
          .executeTakeFirst()
        return (numInsertedOrUpdatedRows ?? 0n) > 0n
      }),
    async keep(cid, content) {
      await engine.write('pins', (trx) =>
        trx
          .insertInto('block')
          .values({ cid, content, created_at: now() })
          .onConflict((conflict) => conflict.column('cid').doNothing())
          .execute(),
      )
    },
    async content(cid) {
      const row = await engine.read((db) =>
        db.selectFrom('block').select('content').where('cid', '=', cid).executeTakeFirst(),
      )
      return row?.content ?? null
    },
  }
}

export type Pins = {
  /** Whether the app has pinned it before. */
  has(appId: string, cid: string): Promise<boolean>
  /** Notes that the app pinned it. False when that was known. */
  record(appId: string, cid: string): Promise<boolean>
  /** Keeps content of UTF-8 under its identifier, which the caller has computed; the same again changes nothing. */
  keep(cid: string, content: string): Promise<void>
  /** `null` for what is not kept here. */
  content(cid: string): Promise<string | null>
}
