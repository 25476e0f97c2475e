import type { ExpressionBuilder, Transaction } from 'kysely'
import type { Schema } from '../schema.ts'

/** Releases every open reservation that no signed transaction ever drew on, and gives their ids. */
export async function releaseUnsigned(trx: Transaction<Schema>, at: number): Promise<readonly string[]> {
  const rows = await trx
    .updateTable('reservation')
    .set({ state: 'released', closed_at: at })
    .where('state', '=', 'reserved')
    .where((where) => where.not(where.exists(drawing(where))))
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

function drawing(where: ExpressionBuilder<Schema, 'reservation'>) {
  return where.selectFrom('journal').select('hash').whereRef('journal.reservation_id', '=', 'reservation.id')
}
