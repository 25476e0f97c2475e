import type { Engine } from '../engine.ts'
import { StoreError } from '../store-error.ts'

/**
 * Answers kept by (principal, key) for 24 hours from the first call, so that a call made again is not done again. `run`
 * names this opening of the store, or what of it a server led: what another left running was cut off.
 */
export function createIdempotency(engine: Engine, now: () => number, run: () => string): Idempotency {
  const running = (principalId: string, key: string) => ({ principal: principalId, key, run: run(), state: 'running' })
  return {
    begin: ({ principalId, key, bodyHash, requestId }) =>
      engine.write('idempotency', async (trx): Promise<IdempotencyClaim> => {
        const oldest = BigInt(now() - keyKeptMs)
        await trx.deleteFrom('idempotency').where('created_at', '<=', oldest).execute()
        const row = await trx
          .selectFrom('idempotency')
          .selectAll()
          .where('principal', '=', principalId)
          .where('key', '=', key)
          .executeTakeFirst()
        if (row === undefined) {
          const fresh = {
            ...running(principalId, key),
            body_hash: bodyHash,
            request_id: requestId,
            created_at: now(),
          }
          await trx.insertInto('idempotency').values(fresh).execute()
          return { state: 'new' }
        }
        if (row.body_hash !== bodyHash) return { state: 'conflict' }
        if (row.answer !== null) return { state: 'done', answer: row.answer, requestId: row.request_id }
        if (row.operation_id !== null) return { state: 'stored', operationId: row.operation_id }
        return { state: 'running', requestId: row.request_id, isCutOff: row.run !== run() }
      }),
    async takeOver({ principalId, key, bodyHash, requestId, from }) {
      const { numUpdatedRows } = await engine.write('idempotency', (trx) =>
        trx
          .updateTable('idempotency')
          .set({ run: run(), request_id: requestId, created_at: now() })
          .where((where) =>
            where.and({ principal: principalId, key, body_hash: bodyHash, request_id: from, state: 'running' }),
          )
          .where('run', '!=', run())
          .executeTakeFirst(),
      )
      return numUpdatedRows > 0n
    },
    async goOn({ principalId, key, bodyHash, requestId }) {
      const { numUpdatedRows } = await engine.write('idempotency', (trx) =>
        trx
          .updateTable('idempotency')
          .set({ run: run(), state: 'running', answer: null })
          .where((where) => where.and({ principal: principalId, key, body_hash: bodyHash, request_id: requestId }))
          .executeTakeFirst(),
      )
      return numUpdatedRows > 0n
    },
    async finish(principalId, key, answer) {
      const { numUpdatedRows } = await engine.write('idempotency', (trx) =>
        trx
          .updateTable('idempotency')
          .set({ state: 'done', answer })
          .where((where) => where.and(running(principalId, key)))
          .executeTakeFirst(),
      )
      if (numUpdatedRows === 0n) throw notRunning(key)
    },
    async abandon(principalId, key) {
      await engine.write('idempotency', async (trx) => {
        const own = trx.selectFrom('idempotency').select('operation_id')
        const row = await own.where((where) => where.and(running(principalId, key))).executeTakeFirst()
        if (row === undefined) throw notRunning(key)
        if (row.operation_id !== null) return
        await trx
          .deleteFrom('idempotency')
          .where((where) => where.and(running(principalId, key)))
          .execute()
      })
    },
  }
}

export type Idempotency = {
  /** Takes the key for this call, or says what became of the call that took it. */
  begin(claim: IdempotencyRequest): Promise<IdempotencyClaim>
  /**
   * Takes the key of the request `from`, which was cut off and certainly had no effect. False when that request does not
   * hold the key any more, or was begun by this opening of the store.
   */
  takeOver(claim: IdempotencyRequest & { readonly from: string }): Promise<boolean>
  /**
   * Takes the key again for its own request, which goes on: one that was answered, that was cut off, or that left its key taken;
   * the caller knows that it is not on its way. False when that request does not hold the key any more.
   */
  goOn(claim: IdempotencyRequest): Promise<boolean>
  /** Keeps the answer. Throws `IDEMPOTENCY_NOT_RUNNING` when this opening of the store did not begin the key. */
  finish(principalId: string, key: string, answer: string): Promise<void>
  /**
   * Frees the key: for a call that certainly had no effect. One that an operation was stored under stays bound to it.
   * Throws `IDEMPOTENCY_NOT_RUNNING` likewise.
   */
  abandon(principalId: string, key: string): Promise<void>
}

type IdempotencyRequest = {
  readonly principalId: string
  readonly key: string
  readonly bodyHash: string
  readonly requestId: string
}

/**
 * - new: the key is taken now; end it with `finish` or `abandon`
 * - done: the kept answer, and the request that it is of
 * - stored: the call ended with an operation that waits, or waited; whatever becomes of the key becomes of that
 * - conflict: the key was used for another body
 * - running: the request that took the key has not ended; `isCutOff` when the process that ran it is gone, so that its
 *   effect must be looked up and not repeated
 */
export type IdempotencyClaim =
  | { readonly state: 'new' | 'conflict' }
  | { readonly state: 'done'; readonly answer: string; readonly requestId: string }
  | { readonly state: 'stored'; readonly operationId: string }
  | { readonly state: 'running'; readonly requestId: string; readonly isCutOff: boolean }

/** As long, what stopped on its way can be gone on with. */
export const keyKeptMs = 24 * 60 * 60 * 1000

function notRunning(key: string): StoreError {
  return new StoreError('IDEMPOTENCY_NOT_RUNNING', `No call runs under the idempotency key ${key}.`)
}
