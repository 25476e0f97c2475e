import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'
import { readAmounts, type TokenAmounts } from './amounts.ts'

/** What may have left on a chain: settled at `since` (Unix milliseconds) or later, or reserved still. */
export async function outflowsSince(db: Kysely<Schema>, chainId: number, since: number): Promise<readonly Outflow[]> {
  const rows = await db
    .selectFrom('reservation')
    .selectAll()
    .where('chain_id', '=', BigInt(chainId))
    .where((where) =>
      where.or([
        where('state', '=', 'reserved'),
        where.and([where('state', '=', 'settled'), where('closed_at', '>=', BigInt(since))]),
      ]),
    )
    .execute()
  return rows.map((row) => ({
    usdMicros:
      (row.settled_usd_micros ?? row.reserved_usd_micros) + (row.settled_gas_usd_micros ?? row.reserved_gas_usd_micros),
    amounts: row.amounts === null ? null : readAmounts(row.amounts),
    settledAt: row.closed_at === null ? null : Number(row.closed_at),
  }))
}

export type Outflow = {
  /** Amount and gas, in millionths of a US dollar of its time. */
  readonly usdMicros: bigint
  /** The same by token, gas among native currency; `null` where nobody said, as in rows of before they were kept. */
  readonly amounts: TokenAmounts | null
  /** Unix milliseconds; `null` while it is reserved. */
  readonly settledAt: number | null
}
