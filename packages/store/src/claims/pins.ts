import type { Engine } from '../engine.ts'

/** Who pinned what, and the content behind a content identifier. Both are kept for good and never change. */
export function createPins(engine: Engine, now: () => number): Pins {
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
