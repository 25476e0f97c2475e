import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'

/**
 * Token buckets that all processes on the store share: whoever serves requests takes tokens for many of them at once, and hands them
 * out by itself. What is asked for many callers together is one statement. A bucket stands as the time at which it will be full, in
 * microseconds, so that refilling it writes nothing.
 */
export function createRateLeases(engine: Engine, options: RateLeaseOptions): RateLeases {
  let exchanges = 0
  return {
    async lease(asks) {
      const buckets = bucketsOf(asks)
      if (exchanges % exchangesPerSweep === 0) await sweep(engine, options)
      exchanges += 1
      const rows = await engine.writeStatement((db) => take(db, [...buckets.values()], clockOf(options)))
      const left = new Map(rows.map(({ key, lent }) => [key, Number(lent)]))
      const after = new Map(rows.map((row) => [row.key, stateOf(row, buckets.get(row.key))]))
      return asks.map((ask) => handOut(ask, left, after.get(ask.key)))
    },
  }
}

type RateLeaseOptions = {
  /** Unix milliseconds; `null` for the clock of the database. */
  readonly now: (() => number) | null
  /** Whether statements of several connections run side by side. */
  readonly sideBySide: boolean
}

export type RateLeases = {
  /** Takes tokens from buckets of `perMinute`, as many as there are up to `most`; for each ask, in their order. */
  lease(asks: readonly LeaseAsk[]): Promise<readonly Leased[]>
}

export type LeaseAsk = { readonly key: string; readonly perMinute: number; readonly most: number }

export type Leased = {
  readonly granted: number
  /** What is in the bucket after that. */
  readonly remaining: number
  /** How long until there is one; 0 where there is. */
  readonly retryAfterMs: number
}

/** Asks out of one bucket are one there: a statement may change a row once. */
function bucketsOf(asks: readonly LeaseAsk[]): ReadonlyMap<string, Bucket> {
  const buckets = new Map<string, Bucket>()
  for (const { key, perMinute, most } of asks) {
    if (!Number.isSafeInteger(perMinute) || perMinute < 1 || !Number.isSafeInteger(most) || most < 1)
      throw new TypeError('A lease is of whole numbers above 0.')
    const perToken = Math.max(1, Math.floor(minuteMicros / perMinute))
    const together = Math.min(perMinute, most + (buckets.get(key)?.most ?? 0))
    buckets.set(key, { key, perToken, capacity: perToken * perMinute, most: together })
  }
  return buckets
}

type Bucket = {
  readonly key: string
  readonly perToken: number
  /** Until an empty one is full, in microseconds. */
  readonly capacity: number
  /** What is asked of it, and no more than it ever holds. */
  readonly most: number
}

/**
 * Takes from each bucket what it has, as its row stands once this statement has locked it. Rows are locked in one order, so that two such
 * statements never wait for each other. A clock that was set back must not make an empty bucket emptier.
 */
async function take(db: Kysely<Schema>, buckets: readonly Bucket[], at: Clock): Promise<readonly Row[]> {
  const asked = buckets.map(
    ({ key, perToken, capacity, most }) =>
      sql`(cast(${key} as text), cast(${perToken} as bigint), cast(${capacity} as bigint), cast(${most} as bigint))`,
  )
  const { rows } = await sql<Row>`
    with ask(key, per_token, capacity, most) as (values ${sql.join(asked)})
    insert into rate_bucket (key, full_at, lent)
    select key, ${at} + most * per_token, most from ask where true order by key
    on conflict (key) do update set (full_at, lent) = (
      select since + lent * per_token, lent from (
        select per_token, since, case when most < tokens then most else tokens end as lent from (
          select ask.per_token, ask.most, since, (at + ask.capacity - since) / ask.per_token as tokens from (
            select at, case when full_at <= at then at when full_at > at + capacity then at + capacity else full_at end as since
            from (select rate_bucket.full_at as full_at, ${at} as at, capacity from ask where key = excluded.key) as held
          ) as missing, ask where ask.key = excluded.key
        ) as bucket
      ) as taken
    )
    returning key, full_at, lent, ${at} as at`.execute(db)
  return rows
}

type Row = { readonly key: string; readonly full_at: bigint; readonly lent: bigint; readonly at: bigint }

/** What is in a bucket after a statement has taken from it. */
function stateOf({ full_at: fullAt, at }: Row, bucket: Bucket | undefined) {
  if (bucket === undefined) throw new Error('The database lent out of a bucket that nobody asked for.')
  const { perToken, capacity } = bucket
  const missing = Math.min(capacity, Math.max(0, Number(fullAt - at)))
  const remaining = Math.floor((capacity - missing) / perToken)
  return { remaining, retryAfterMs: Math.ceil((missing + perToken - capacity) / microsPerMs) }
}

/** Gives one of several that asked together its part of what the bucket lent; what the others get later is still there for it. */
function handOut(ask: LeaseAsk, left: Map<string, number>, after: ReturnType<typeof stateOf> | undefined): Leased {
  if (after === undefined) throw new Error('The database left a lease out.')
  const lent = left.get(ask.key) ?? 0
  const granted = Math.min(ask.most, lent)
  left.set(ask.key, lent - granted)
  const remaining = after.remaining + lent - granted
  return { granted, remaining, retryAfterMs: remaining > 0 ? 0 : after.retryAfterMs }
}

/** A bucket that is full again is like one that nobody has taken from. A row that somebody is taking from just now is left to the next time. */
async function sweep(engine: Engine, options: RateLeaseOptions): Promise<void> {
  const unlocked = options.sideBySide ? sql`for update skip locked` : sql``
  await engine.writeStatement(async (db) => {
    await sql`delete from rate_bucket where key in (
      select key from rate_bucket where full_at <= ${clockOf(options)} ${unlocked}
    )`.execute(db)
  })
}

/** The clock of the database is read where it stands in a statement, and not when the statement began, which may have waited for its turn. */
function clockOf({ now }: RateLeaseOptions) {
  return now === null
    ? sql<bigint>`floor(extract(epoch from clock_timestamp()) * 1000000)::bigint`
    : sql<bigint>`cast(${now() * microsPerMs} as bigint)`
}

type Clock = ReturnType<typeof clockOf>

const exchangesPerSweep = 64
const microsPerMs = 1_000
const minuteMicros = 60_000_000

export async function createRateBucketTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rate_bucket')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('full_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('rate_bucket_full').on('rate_bucket').column('full_at').execute()
}

/** PostgreSQL tells what a row has become and not what it was, so what was lent last stands in it. */
export async function addLent(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('rate_bucket')
    .addColumn('lent', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}
