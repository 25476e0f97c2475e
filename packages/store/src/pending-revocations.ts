import { type CreateTableBuilder, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { type Engine, preparedQuery, preparedSearch } from './engine.ts'
import type { Schema } from './schema.ts'

/**
 * Which allowances must go back to zero, from the commit that keeps the first signature of their request (see `Journal.recordSigned`)
 * until they are seen to be zero, so that a crash between an approval and its end leaves none standing for good. So it is with
 * the right over a position that a permit gives, until nobody can hand that in any more. What has ended stays here until no reorganisation
 * replaces the block that ended it.
 */
export function createPendingRevocations(engine: Engine): PendingRevocations {
  return {
    list: async () => (await engine.read((db) => owedRows(db, {}))).map(toRevocation),
    ended: async () => (await engine.read((db) => endedRows(db, {}))).map(toEnded),
    end: (ended) => engine.write('spend', (trx) => endRevocations(trx, ended)),
    add: (added) => engine.write('spend', (trx) => addRevocations(trx, added)),
    remove: (some) =>
      engine.write('spend', async (trx) => {
        for (const one of some) await trx.deleteFrom('pending_revocation').where('key', '=', keyOf(one)).execute()
      }),
    failed: (one, at) =>
      engine.write('spend', async (trx) => {
        await trx
          .updateTable('pending_revocation')
          .set({ failed_times: sql<bigint>`coalesce(failed_times, 0) + 1`, failed_at: at })
          .where('key', '=', keyOf(one))
          .execute()
      }),
  }
}

export type PendingRevocations = {
  /** What is owed, the oldest first. */
  list(): Promise<readonly PendingRevocation[]>
  /** What is over in a block that another may still replace. */
  ended(): Promise<readonly EndedRevocation[]>
  /** Notes in which block something was over, where it stands here still. */
  end(ended: readonly EndedRevocation[]): Promise<void>
  /** What is owed already stays as it is, and what had ended is owed again. */
  add(pendingRevocations: readonly PendingRevocation[]): Promise<void>
  remove(pendingRevocations: readonly PendingRevocation[]): Promise<void>
  /** Notes that taking one back was mined `at` (Unix milliseconds) and failed or left it owed, where it is still owed. */
  failed(pendingRevocation: PendingRevocation, at: number): Promise<void>
}

export type PendingRevocation = {
  readonly chainId: number
  readonly owner: `0x${string}`
  readonly token: `0x${string}`
  readonly spender: `0x${string}`
  /** Where it is the right over one position, and `token` is the position manager: by which signature it may be given. */
  readonly position?: PositionRight | undefined
  /** How often taking it back was mined and failed, or left it owed, and when the last time was, in Unix milliseconds. */
  readonly failed?: { readonly times: number; readonly at: number } | undefined
  /** The number of the block in which it was first seen to be over; absent while it is owed. */
  readonly endedIn?: string | undefined
}

export type EndedRevocation = PendingRevocation & { readonly endedIn: string }

type PositionRight = {
  readonly tokenId: string
  /** How many such signatures the position had seen before this one. */
  readonly nonce: string
  /** Unix seconds. */
  readonly deadline: number
}

/** @param table with the number of each row */
export async function createRevocationTable(
  table: CreateTableBuilder<'pending_revocation', 'sequence'>,
): Promise<void> {
  await table
    .addColumn('key', 'text', (column) => column.notNull().unique())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('spender', 'text', (column) => column.notNull())
    .addColumn('token_id', 'text')
    .addColumn('permit_nonce', 'text')
    .addColumn('deadline', 'bigint')
    .addColumn('failed_times', 'bigint')
    .addColumn('failed_at', 'bigint')
    .addColumn('ended_in', 'text')
    .execute()
}

/** For a commit that keeps more than these. */
export async function addRevocations(trx: Transaction<Schema>, added: readonly PendingRevocation[]): Promise<void> {
  for (const one of added) {
    await insertRow(trx, {
      key: keyOf(one),
      chain_id: BigInt(one.chainId),
      owner: one.owner,
      token: one.token,
      spender: one.spender,
      token_id: one.position?.tokenId ?? null,
      permit_nonce: one.position?.nonce ?? null,
      deadline: one.position === undefined ? null : BigInt(one.position.deadline),
      failed_times: one.failed === undefined ? null : BigInt(one.failed.times),
      failed_at: one.failed === undefined ? null : BigInt(Math.trunc(one.failed.at)),
      ended_in: one.endedIn ?? null,
    })
  }
}

/** For a commit that keeps more than these. */
export async function endRevocations(trx: Transaction<Schema>, ended: readonly EndedRevocation[]): Promise<void> {
  for (const one of ended) await endRow(trx, { key: keyOf(one), endedIn: one.endedIn })
}

type Row = Selectable<Schema['pending_revocation']>

const owedRows = preparedSearch<Readonly<Record<string, unknown>>, Row>((db) =>
  rowsOf(db).where('ended_in', 'is', null),
)

const endedRows = preparedQuery<Readonly<Record<string, unknown>>, Row & { readonly ended_in: string }>((db) =>
  rowsOf(db).where('ended_in', 'is not', null).$narrowType<{ ended_in: string }>(),
)

function rowsOf(db: Kysely<Schema>) {
  return db.selectFrom('pending_revocation').selectAll().orderBy('sequence')
}

const insertRow = preparedQuery<Omit<Row, 'sequence'>, unknown>((db, value) =>
  db
    .insertInto('pending_revocation')
    .values({
      key: value('key'),
      chain_id: value('chain_id'),
      owner: value('owner'),
      token: value('token'),
      spender: value('spender'),
      token_id: value('token_id'),
      permit_nonce: value('permit_nonce'),
      deadline: value('deadline'),
      failed_times: value('failed_times'),
      failed_at: value('failed_at'),
      ended_in: value('ended_in'),
    })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ ended_in: null })),
)

const endRow = preparedQuery<{ readonly key: string; readonly endedIn: string }, unknown>((db, value) =>
  db
    .updateTable('pending_revocation')
    .set({ ended_in: value('endedIn') })
    .where('key', '=', value('key')),
)

/** All that tells one from another. The same address is written in several ways. */
function keyOf({ chainId, owner, token, spender, position }: PendingRevocation): string {
  const { tokenId = '', nonce = '', deadline = '' } = position ?? {}
  return `${chainId}:${owner}:${token}:${spender}:${tokenId}:${nonce}:${deadline}`.toLowerCase()
}

function toEnded(row: Row & { readonly ended_in: string }): EndedRevocation {
  return { ...toRevocation(row), endedIn: row.ended_in }
}

function toRevocation(row: Row): PendingRevocation {
  const { token_id: tokenId, permit_nonce: nonce, deadline, failed_times: times, failed_at: at } = row
  return {
    chainId: Number(row.chain_id),
    owner: row.owner,
    token: row.token,
    spender: row.spender,
    ...(tokenId !== null && nonce !== null && { position: { tokenId, nonce, deadline: Number(deadline) } }),
    ...(times !== null && { failed: { times: Number(times), at: Number(at) } }),
  }
}
