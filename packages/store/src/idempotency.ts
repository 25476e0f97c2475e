import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'
import { whenFree } from './when-free.ts'

/**
 * Answers kept by (principal, key) for 24 hours from the first call, so that a call made again is not done again. `run`
 * names this opening of the store: what another opening left running was cut off.
 */
export function createIdempotency(db: Kysely<Schema>, now: () => number, run: string): Idempotency {
  const running = (principal: string, key: string) => ({ principal, key, run, state: 'running' })
  return {
    begin: ({ principal, key, bodyHash }) =>
      whenFree(() =>
        db.transaction().execute(async (trx): Promise<IdempotencyState> => {
          const oldest = BigInt(now() - keptMs)
          await trx.deleteFrom('idempotency').where('created_at', '<=', oldest).execute()
          const row = await trx
            .selectFrom('idempotency')
            .selectAll()
            .where('principal', '=', principal)
            .where('key', '=', key)
            .executeTakeFirst()
          if (row === undefined) {
            const fresh = { ...running(principal, key), body_hash: bodyHash, created_at: now() }
            await trx.insertInto('idempotency').values(fresh).execute()
            return { state: 'new' }
          }
          if (row.body_hash !== bodyHash) return { state: 'conflict' }
          if (row.state === 'done') return { state: 'done', answer: JSON.parse(row.answer ?? 'null') }
          return { state: row.run === run ? 'running' : 'in_doubt' }
        }),
      ),
    async finish(principal, key, answer) {
      const kept = JSON.stringify(answer ?? null)
      const { numUpdatedRows } = await whenFree(() =>
        db.transaction().execute((trx) =>
          trx
            .updateTable('idempotency')
            .set({ state: 'done', answer: kept })
            .where((where) => where.and(running(principal, key)))
            .executeTakeFirst(),
        ),
      )
      if (numUpdatedRows === 0n) throw notRunning(key)
    },
    async abandon(principal, key) {
      const { numDeletedRows } = await whenFree(() =>
        db.transaction().execute((trx) =>
          trx
            .deleteFrom('idempotency')
            .where((where) => where.and(running(principal, key)))
            .executeTakeFirst(),
        ),
      )
      if (numDeletedRows === 0n) throw notRunning(key)
    },
  }
}

export type Idempotency = {
  /** Takes the key for this call, or says what became of the call that took it. */
  begin(call: {
    readonly principal: string
    readonly key: string
    readonly bodyHash: string
  }): Promise<IdempotencyState>
  /** Keeps the answer, which must be JSON. Throws `IDEMPOTENCY_NOT_RUNNING` when this store did not begin the key. */
  finish(principal: string, key: string, answer: unknown): Promise<void>
  /** Frees the key: for a call that certainly had no effect. Throws `IDEMPOTENCY_NOT_RUNNING` likewise. */
  abandon(principal: string, key: string): Promise<void>
}

/**
 * - new: the key is taken now; end it with `finish` or `abandon`
 * - done: the kept answer
 * - conflict: the key was used for another body
 * - running: the first call has not ended yet
 * - in_doubt: the process that ran the first call ended before it; its effect must be looked up, not repeated
 */
export type IdempotencyState =
  | { readonly state: 'new' | 'conflict' | 'running' | 'in_doubt' }
  | { readonly state: 'done'; readonly answer: unknown }

const keptMs = 24 * 60 * 60 * 1000

function notRunning(key: string): StoreError {
  return new StoreError('IDEMPOTENCY_NOT_RUNNING', `No call runs under the idempotency key ${key}.`)
}
