import { sql, type Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

/**
 * Transactions mined for good on a chain whose gas is not counted, oldest first: those of no reservation, and those of one
 * that is closed. What draws on an open one is counted when that is settled.
 */
export async function uncountedGas(db: Kysely<Schema>, chainId: number): Promise<readonly UncountedGas[]> {
  const rows = await db
    .selectFrom('journal')
    .leftJoin('reservation', 'reservation.id', 'journal.reservation_id')
    .select(['journal.hash', 'journal.request_id'])
    .where('journal.chain_id', '=', BigInt(chainId))
    .where('journal.gas_usd_micros', 'is', null)
    // Written out, or the partial index of these states does not serve.
    .where('journal.state', 'in', [sql.lit('final'), sql.lit('reverted')])
    .where((where) => where.or([where('reservation.state', 'is', null), where('reservation.state', '<>', 'reserved')]))
    .orderBy('journal.sequence')
    .limit(100)
    .execute()
  return rows.map(({ hash, request_id }) => ({ hash, requestId: request_id }))
}

export type UncountedGas = { readonly hash: string; readonly requestId: string }
