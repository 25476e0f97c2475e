import type { CreateTableBuilder } from 'kysely'
import type { Engine } from './engine.ts'

/**
 * What contracts said of themselves as tokens: a cache that may lose its oldest entries. It holds `mostTokens` of them at most, each of
 * at most 1 KiB; larger ones are not kept. After a week an entry is no longer given, so that the contract is asked again. `now` gives
 * Unix milliseconds.
 */
export function createTokenStore(engine: Engine, now: () => number, mostTokens = 10_000): TokenStore {
  return {
    async read({ chainId, address }) {
      const row = await engine.read((db) =>
        db
          .selectFrom('token_fact')
          .select('content')
          .where('chain_id', '=', BigInt(chainId))
          .where('address', '=', address)
          .where('kept_at', '>', BigInt(now() - keptMs))
          .executeTakeFirst(),
      )
      return row?.content ?? null
    },
    async keep({ chainId, address }, content) {
      if (Buffer.byteLength(content) > mostBytes) return
      await engine.write(
        'token facts',
        async (trx) => {
          await trx
            .insertInto('token_fact')
            .values({ chain_id: chainId, address, content, kept_at: now() })
            .onConflict((conflict) =>
              conflict.columns(['chain_id', 'address']).doUpdateSet((update) => ({
                content: update.ref('excluded.content'),
                kept_at: update.ref('excluded.kept_at'),
              })),
            )
            .execute()
          const kept = await trx
            .selectFrom('token_fact')
            .select('sequence')
            .orderBy('sequence', 'desc')
            .offset(mostTokens)
            .limit(1)
            .executeTakeFirst()
          if (kept !== undefined) await trx.deleteFrom('token_fact').where('sequence', '<=', kept.sequence).execute()
        },
        'with-next',
      )
    },
  }
}

export type TokenStore = {
  /** What was kept of a token within the last week; `null` where nothing was. */
  read(of: TokenOf): Promise<string | null>
  /** What is there already is replaced, since its reader may have found it broken; it is evicted no later by that. */
  keep(of: TokenOf, content: string): Promise<void>
}

/** `address` in lower case; what the content means is its writer's business. */
export type TokenOf = { readonly chainId: number; readonly address: string }

const keptMs = 7 * 86_400_000
const mostBytes = 1 * 1024

/** @param table with the number of each row */
export async function createTokenTable(table: CreateTableBuilder<'token_fact', 'sequence'>): Promise<void> {
  await table
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('kept_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('token_fact_of', ['chain_id', 'address'])
    .execute()
}

/**
 * Chunks of closed bars, which never change: a cache that may lose its oldest entries. It holds `mostChunks` of them at most, each of
 * at most 64 KiB; larger ones are not kept.
 */
export function createBarStore(engine: Engine, mostChunks = 10_000): BarStore {
  return {
    async read({ chainId, pool, barSeconds }, from, to) {
      const rows = await engine.read((db) =>
        db
          .selectFrom('bar_chunk')
          .select(['starts_at', 'content'])
          .where('chain_id', '=', BigInt(chainId))
          .where('pool', '=', pool)
          .where('bar_seconds', '=', BigInt(barSeconds))
          .where('starts_at', '>=', BigInt(from))
          .where('starts_at', '<', BigInt(to))
          .orderBy('starts_at')
          .execute(),
      )
      return rows.map((row) => ({ startsAt: Number(row.starts_at), content: row.content }))
    },
    async keep({ chainId, pool, barSeconds }, chunks) {
      // Of two for one place the later counts: PostgreSQL updates no row twice in one statement.
      const rows = [...new Map(chunks.map((chunk) => [chunk.startsAt, chunk])).values()]
        .filter(({ content }) => content.length <= mostCharacters)
        .map(({ startsAt, content }) => ({
          chain_id: chainId,
          pool,
          bar_seconds: barSeconds,
          starts_at: startsAt,
          content,
        }))
      if (rows.length === 0) return
      await engine.write(
        'bars',
        async (trx) => {
          await trx
            .insertInto('bar_chunk')
            .values(rows)
            .onConflict((conflict) =>
              conflict
                .columns(['chain_id', 'pool', 'bar_seconds', 'starts_at'])
                .doUpdateSet({ content: (row) => row.ref('excluded.content') }),
            )
            .execute()
          const kept = await trx
            .selectFrom('bar_chunk')
            .select('sequence')
            .orderBy('sequence', 'desc')
            .offset(mostChunks)
            .limit(1)
            .executeTakeFirst()
          if (kept !== undefined) await trx.deleteFrom('bar_chunk').where('sequence', '<=', kept.sequence).execute()
        },
        'with-next',
      )
    },
  }
}

export type BarStore = {
  /** Chunks that begin in [from, to), Unix seconds, oldest first. */
  read(of: BarsOf, from: number, to: number): Promise<readonly BarChunk[]>
  /** A chunk that is there already is replaced, since its reader may have found it broken; it grows no younger by that. */
  keep(of: BarsOf, chunks: readonly BarChunk[]): Promise<void>
}

export type BarsOf = { readonly chainId: number; readonly pool: string; readonly barSeconds: number }

/** `startsAt` in Unix seconds; what the content means is its writer's business. */
export type BarChunk = { readonly startsAt: number; readonly content: string }

const mostCharacters = 64 * 1024

/** @param table with the number of each row */
export async function createBarTable(table: CreateTableBuilder<'bar_chunk', 'sequence'>): Promise<void> {
  await table
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('pool', 'text', (column) => column.notNull())
    .addColumn('bar_seconds', 'bigint', (column) => column.notNull())
    .addColumn('starts_at', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addUniqueConstraint('bar_chunk_of', ['chain_id', 'pool', 'bar_seconds', 'starts_at'])
    .execute()
}
