import { randomUUID } from 'node:crypto'
import type { CreateTableBuilder, Kysely, Selectable, Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'

/**
 * What is remembered of liquidity that was provided: episodes, insights and feedback, each record its owner's alone. Of each kind an owner
 * has so many records and so many bytes at most (`memoryBounds`); the oldest go first. `now` gives Unix milliseconds.
 */
export function createMemory(engine: Engine, now: () => number): Memory {
  return {
    of: (owner) => ({
      keep: (record) =>
        engine.write('memory', async (trx) => {
          const bytes = sizeOf(record.content)
          const id = randomUUID()
          const at = now()
          await trx
            .insertInto('memory')
            .values({
              id,
              owner,
              kind: record.kind,
              chain_id: record.chainId,
              pair: record.pair,
              subject: record.subject,
              confidence_e4: toE4(record.confidence),
              content: record.content,
              bytes,
              created_at: at,
              updated_at: at,
            })
            .execute()
          return { id, forgotten: await forgetOldest(trx, owner, record.kind) }
        }),
      change: (id, change) =>
        engine.write('memory', async (trx) => {
          const row = await trx
            .selectFrom('memory')
            .selectAll()
            .where('owner', '=', owner)
            .where('id', '=', id)
            .executeTakeFirst()
          if (row === undefined) return null
          const before = toRecord(row)
          const { content, confidence } = { ...before, ...change(before) }
          const set = { content, confidence_e4: toE4(confidence), bytes: sizeOf(content), updated_at: now() }
          const changed = await trx
            .updateTable('memory')
            .set(set)
            .where('sequence', '=', row.sequence)
            .returningAll()
            .executeTakeFirstOrThrow()
          await forgetOldest(trx, owner, row.kind)
          return toRecord(changed)
        }),
      async byId(id) {
        const row = await engine.read((db) =>
          db.selectFrom('memory').selectAll().where('owner', '=', owner).where('id', '=', id).executeTakeFirst(),
        )
        return row === undefined ? null : toRecord(row)
      },
      async recall({ kind, chainId, pair, subject, limit }) {
        const rows = await engine.read((db) => {
          let query = db.selectFrom('memory').selectAll().where('owner', '=', owner).where('kind', '=', kind)
          if (chainId !== undefined) query = query.where('chain_id', '=', BigInt(chainId))
          if (pair !== undefined) query = query.where('pair', '=', pair)
          if (subject !== undefined) query = query.where('subject', '=', subject)
          return query.orderBy('sequence', 'desc').limit(limit).execute()
        })
        return rows.map(toRecord)
      },
    }),
    async page({ owner, after, limit = 500 }) {
      const rows = await engine.read((db) => {
        const all = db
          .selectFrom('memory')
          .selectAll()
          .where('sequence', '>', after ?? 0n)
        const ofOwner = owner === null ? all : all.where('owner', '=', owner)
        return ofOwner.orderBy('sequence').limit(limit).execute()
      })
      const last = rows.length < limit ? null : (rows.at(-1)?.sequence ?? null)
      return { records: rows.map((row) => Object.assign(toRecord(row), { owner: row.owner })), next: last }
    },
    forget: (owner) =>
      engine.write('memory', async (trx) => {
        const all = trx.deleteFrom('memory')
        const { numDeletedRows } = await (owner === null ? all : all.where('owner', '=', owner)).executeTakeFirst()
        return Number(numDeletedRows)
      }),
    async count(owner) {
      const { found } = await engine.read((db) => {
        const all = db.selectFrom('memory').select((build) => build.fn.countAll<bigint>().as('found'))
        return (owner === null ? all : all.where('owner', '=', owner)).executeTakeFirstOrThrow()
      })
      return Number(found)
    },
  }
}

/** Of each kind, for one owner; and of the content of one record. */
export const memoryBounds = {
  records: { episode: 500, insight: 200, feedback: 500 },
  bytes: 512 * 1024,
  contentBytes: 4_096,
} as const

export type Memory = {
  of(owner: string): OwnMemory
  /** Whose whatsoever (`null`) or one owner's, oldest first, a page at a time; `next` is the `after` of the next page. */
  page(of: {
    readonly owner: string | null
    readonly after?: bigint | null
    readonly limit?: number
  }): Promise<{ readonly records: readonly OwnedRecord[]; readonly next: bigint | null }>
  /** Forgets all of an owner, or of everybody (`null`); gives how many records that were. */
  forget(owner: string | null): Promise<number>
  count(owner: string | null): Promise<number>
}

/** One owner's. No record of another is read or changed by it. */
export type OwnMemory = {
  /** Gives the new record's id, and how many of the oldest of its kind went for it. Throws `RECORD_TOO_LARGE`. */
  keep(record: NewMemoryRecord): Promise<{ readonly id: string; readonly forgotten: number }>
  /** Changes a record in one transaction with reading it; `null` where there is none of this id. Throws `RECORD_TOO_LARGE`, and what `change` throws. */
  change(
    id: string,
    change: (record: MemoryRecord) => Partial<Pick<MemoryRecord, 'content' | 'confidence'>>,
  ): Promise<MemoryRecord | null>
  /** `null` where there is none. */
  byId(id: string): Promise<MemoryRecord | null>
  /** Newest first. */
  recall(query: MemoryQuery): Promise<readonly MemoryRecord[]>
}

export type MemoryKind = 'episode' | 'insight' | 'feedback'

export type MemoryQuery = {
  readonly kind: MemoryKind
  readonly chainId?: number | undefined
  readonly pair?: string | undefined
  readonly subject?: string | undefined
  readonly limit: number
}

export type NewMemoryRecord = {
  readonly kind: MemoryKind
  readonly chainId: number
  /** Both tokens, in an order that does not depend on who asks. */
  readonly pair: string
  /** What it is about beside the pair: a position, another record; `null` for nothing. */
  readonly subject: string | null
  /** 0 to 1, kept to four digits. */
  readonly confidence: number
  /** JSON; what it means is its writer's business. */
  readonly content: string
}

export type MemoryRecord = NewMemoryRecord & {
  readonly id: string
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type OwnedRecord = MemoryRecord & { readonly owner: string }

/** @param table with the number of each row */
export async function createMemoryTable(
  db: Kysely<unknown>,
  table: CreateTableBuilder<'memory', 'sequence'>,
): Promise<void> {
  await table
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('pair', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('confidence_e4', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('memory_of').on('memory').columns(['owner', 'kind', 'sequence']).execute()
}

function sizeOf(content: string): number {
  const bytes = Buffer.byteLength(content)
  if (bytes <= memoryBounds.contentBytes) return bytes
  throw new StoreError('RECORD_TOO_LARGE', `A record holds at most ${memoryBounds.contentBytes} bytes.`)
}

function toE4(confidence: number): number {
  if (!(confidence >= 0 && confidence <= 1)) throw new TypeError('A confidence is from 0 to 1.')
  return Math.round(confidence * 10_000)
}

/** Those beyond what an owner may have of a kind, the oldest; gives how many went. */
async function forgetOldest(trx: Transaction<Schema>, owner: string, kind: MemoryKind): Promise<number> {
  const rows = await trx
    .selectFrom('memory')
    .select(['sequence', 'bytes'])
    .where('owner', '=', owner)
    .where('kind', '=', kind)
    .orderBy('sequence', 'desc')
    .execute()
  let held = 0
  const kept = rows.findIndex(({ bytes }, index) => {
    held += Number(bytes)
    return index >= memoryBounds.records[kind] || held > memoryBounds.bytes
  })
  const oldest = kept === -1 ? undefined : rows[kept]
  if (oldest === undefined) return 0
  await trx
    .deleteFrom('memory')
    .where('owner', '=', owner)
    .where('kind', '=', kind)
    .where('sequence', '<=', oldest.sequence)
    .execute()
  return rows.length - kept
}

function toRecord(row: Selectable<Schema['memory']>): MemoryRecord {
  return {
    id: row.id,
    kind: row.kind,
    chainId: Number(row.chain_id),
    pair: row.pair,
    subject: row.subject,
    confidence: Number(row.confidence_e4) / 10_000,
    content: row.content,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  }
}
