import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'
import type { StoreTime } from '../store-time.ts'

/**
 * Token buckets that all processes on the store share: whoever serves requests takes tokens for many of them at once, and hands them
 * out by itself. What is asked for many callers together is one commit.
 */
export function createRateLeases(engine: Engine, time: StoreTime): RateLeases {
  return {
    lease: (asks) =>
      engine.write('rate leases', async (trx) => {
        const at = (await time(trx)) * microsPerMs
        // A bucket that is full again is like one that nobody has taken from.
        await trx.deleteFrom('rate_bucket').where('full_at', '<=', BigInt(at)).execute()
        const keys = [...new Set(asks.map(({ key }) => key))]
        const rows = await trx.selectFrom('rate_bucket').selectAll().where('key', 'in', keys).execute()
        const fullAt = new Map(rows.map((row) => [row.key, Number(row.full_at)]))
        const leased = asks.map((ask) => {
          const taken = takeFrom(fullAt.get(ask.key) ?? at, ask, at)
          fullAt.set(ask.key, taken.fullAt)
          return taken.lease
        })
        await trx
          .insertInto('rate_bucket')
          .values([...fullAt].map(([key, full_at]) => ({ key, full_at })))
          .onConflict((conflict) =>
            conflict.column('key').doUpdateSet((excluded) => ({ full_at: excluded.ref('excluded.full_at') })),
          )
          .execute()
        return leased
      }),
  }
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

/** A bucket stands as the time at which it will be full, in microseconds, so that refilling it writes nothing. */
function takeFrom(fullAt: number, { perMinute, most }: LeaseAsk, at: number): { lease: Leased; fullAt: number } {
  if (!Number.isSafeInteger(perMinute) || perMinute < 1 || !Number.isSafeInteger(most) || most < 1) {
    throw new TypeError('A lease is of whole numbers above 0.')
  }
  const perToken = Math.max(1, Math.floor(minuteMicros / perMinute))
  const capacity = perToken * perMinute
  // A clock that was set back must not make an empty bucket emptier.
  const missing = Math.min(capacity, Math.max(0, fullAt - at))
  const available = Math.floor((capacity - missing) / perToken)
  const granted = Math.min(most, available)
  const left = missing + granted * perToken
  const remaining = available - granted
  const retryAfterMs = remaining > 0 ? 0 : Math.ceil((left + perToken - capacity) / microsPerMs)
  return { lease: { granted, remaining, retryAfterMs }, fullAt: at + left }
}

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
