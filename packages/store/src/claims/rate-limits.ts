import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { StoreTime } from '../store-time.ts'

/**
 * Counts uses in sliding windows, over all processes that share the store. A take is one serialised commit, so of many
 * that race for the last place one gets it.
 */
export function createRateLimits(engine: Engine, time: StoreTime): RateLimits {
  return {
    take: ({ key, perWindow, windowMs, cost = 1 }) =>
      engine.write('rate limits', async (trx): Promise<RateVerdict> => {
        requireCounts({ perWindow, windowMs, cost })
        const at = await time(trx)
        await trx
          .deleteFrom('rate_use')
          .where('until', '<=', BigInt(at - keptMs))
          .execute()
        const uses = trx
          .selectFrom('rate_use')
          .where('key', '=', key)
          .where('at', '>', BigInt(at - windowMs))
        const { sum } = await uses
          .select(({ fn }) => fn.coalesce(fn.sum<bigint>('cost'), sql<bigint>`0`).as('sum'))
          .executeTakeFirstOrThrow()
        const used = Number(sum)
        const missing = used + cost - perWindow
        if (missing > 0) {
          // Each of them frees one at least.
          const oldest = await uses.select(['at', 'cost']).orderBy('at').limit(missing).execute()
          const retryAfterMs = waitFor(oldest, missing, windowMs, at)
          return { allowed: false, remaining: Math.max(perWindow - used, 0), retryAfterMs }
        }
        const { sequence } = await trx
          .insertInto('rate_use')
          .values({ key, at, until: at + windowMs, cost })
          .returning('sequence')
          .executeTakeFirstOrThrow()
        return { allowed: true, remaining: perWindow - used - cost, retryAfterMs: 0, useId: `${sequence}` }
      }),
    async refund(useId) {
      await engine.write('rate limits', (trx) =>
        trx
          .deleteFrom('rate_use')
          .where(sql<string>`cast(sequence as text)`, '=', useId)
          .execute(),
      )
    },
  }
}

export type RateLimits = {
  /**
   * Takes `cost` (1 unless given) out of what `key` may use in any `windowMs` milliseconds, or says how long to wait.
   * What was refused counts nothing.
   */
  take(request: RateRequest): Promise<RateVerdict>
  /** Gives a use back, for work that failed. The same again, or after its window, changes nothing. */
  refund(useId: string): Promise<void>
}

export type RateRequest = {
  readonly key: string
  readonly perWindow: number
  readonly windowMs: number
  readonly cost?: number
}

export type RateVerdict =
  | { readonly allowed: true; readonly remaining: number; readonly retryAfterMs: 0; readonly useId: string }
  | {
      readonly allowed: false
      readonly remaining: number
      /** When the same take would pass, if nothing else is taken; `null`: never, it costs more than a whole window. */
      readonly retryAfterMs: number | null
    }

/** What has left its window is kept a little, so that a clock which jumps and comes back opens no window. */
const keptMs = 24 * 60 * 60 * 1000

/** Until the oldest uses have left the window that together make enough room. */
function waitFor(
  uses: readonly { readonly at: bigint; readonly cost: bigint }[],
  missing: number,
  windowMs: number,
  at: number,
): number | null {
  let freed = 0
  for (const use of uses) {
    freed += Number(use.cost)
    if (freed >= missing) return Number(use.at) + windowMs - at
  }
  return null
}

/** @param table with the number of each row */
export async function createRateUseTable(
  db: Kysely<unknown>,
  table: CreateTableBuilder<'rate_use', 'sequence'>,
): Promise<void> {
  await table
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addColumn('cost', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('rate_use_of').on('rate_use').columns(['key', 'at']).execute()
  await db.schema.createIndex('rate_use_age').on('rate_use').column('until').execute()
}

function requireCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) {
    if (!Number.isSafeInteger(count) || count < 1) throw new TypeError(`${name} must be a whole number above 0.`)
  }
}
