import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'

/**
 * That the state was put back from a copy and nobody has released it since. It stands in the commit that put the rows back, so that it goes
 * where they go: whoever opens them, from whichever directory, knows before anything is signed.
 */
export function createRestored(engine: Engine): Restored {
  return {
    read: async () =>
      (await engine.read((db) => db.selectFrom('restored_copy').select(['by', 'at', 'reason']).executeTakeFirst())) ??
      null,
    release: () =>
      engine.write('operations', async (trx) => {
        await trx.deleteFrom('restored_copy').execute()
      }),
  }
}

export type Restored = {
  /** `null` for what was never put back, or is released. */
  read(): Promise<RestoredCopy | null>
  /** An operator has seen to what the copy does not know. */
  release(): Promise<void>
}

/** Who put it back, when (ISO 8601), and of what it is. */
export type RestoredCopy = { readonly by: string; readonly at: string; readonly reason: string }

/** Also where a copy of an older version was put back, which has the table already. */
export function createRestoredTable(db: Kysely<unknown>): Promise<void> {
  return db.schema
    .createTable('restored_copy')
    .ifNotExists()
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .execute()
}

/** Notes it in the transaction that puts the rows back. */
export async function noteRestored(trx: Kysely<unknown>, { by, at, reason }: RestoredCopy): Promise<void> {
  await createRestoredTable(trx)
  const db = trx as Kysely<Schema>
  await db.deleteFrom('restored_copy').execute()
  await db.insertInto('restored_copy').values({ id: 1n, by, at, reason }).execute()
}
