import type { Transaction } from 'kysely'
import type { Schema } from '../schema.ts'
import { requireAmount } from '../require-amount.ts'

/**
 * Lifts what an open reservation holds for gas by what a transaction may cost above its first attempt, in millionths of a
 * US dollar. What was lifted for it before stands in the journal, so that the same again adds nothing. Throws
 * `AMOUNT_INVALID`.
 */
export async function coverGas(trx: Transaction<Schema>, hash: string, above: bigint): Promise<void> {
  requireAmount(above)
  const entry = await trx
    .selectFrom('journal')
    .innerJoin('reservation', 'reservation.id', 'journal.reservation_id')
    .select(['reservation.id', 'journal.covered_gas_usd_micros as covered'])
    .where('journal.hash', '=', hash)
    .where('reservation.state', '=', 'reserved')
    .executeTakeFirst()
  if (entry === undefined || above <= entry.covered) return
  await trx
    .updateTable('reservation')
    .set((column) => ({ reserved_gas_usd_micros: column('reserved_gas_usd_micros', '+', above - entry.covered) }))
    .where('id', '=', entry.id)
    .execute()
  await trx.updateTable('journal').set({ covered_gas_usd_micros: above }).where('hash', '=', hash).execute()
}
