import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * What counts in the 24 hours before `at`, amounts and gas: every open reservation whatever its age, and
 * everything settled since. A spend leaves the window 24 hours after it was settled, which is never before its effect
 * on the chain, so no span of 24 hours sees effects above the cap. Of all principals, or of one.
 */
export async function sumOfDay(
  db: Kysely<Schema>,
  at: number,
  of: { readonly principal?: string } = {},
): Promise<Spent> {
  const row = await db
    .selectFrom('reservation')
    .select([counted.as('total'), countedGas.as('gas')])
    .where((where) =>
      where.or([
        where('state', '=', 'reserved'),
        where.and([where('state', '=', 'settled'), where('closed_at', '>', BigInt(at - dayMs))]),
      ]),
    )
    .$if(of.principal !== undefined, (query) => query.where('principal', '=', of.principal ?? ''))
    .executeTakeFirstOrThrow()
  return { usdMicros: row.total, gasUsdMicros: row.gas }
}

/**
 * What counts in a session of a principal: its settled spends and every open reservation of the principal, also one
 * that was made in a session before. Without a session (`null`) only the latter.
 */
export async function sumOfSession(db: Kysely<Schema>, principal: string, sessionId: bigint | null): Promise<Spent> {
  const row = await db
    .selectFrom('reservation')
    .select([counted.as('total'), countedGas.as('gas')])
    .where('principal', '=', principal)
    .where((where) =>
      where.or([
        where('state', '=', 'reserved'),
        where.and([where('state', '=', 'settled'), where('session_id', '=', sessionId ?? -1n)]),
      ]),
    )
    .executeTakeFirstOrThrow()
  return { usdMicros: row.total, gasUsdMicros: row.gas }
}

/** In millionths of a US dollar: amounts and gas together, and the gas among it. */
export type Spent = { readonly usdMicros: bigint; readonly gasUsdMicros: bigint }

const dayMs = 24 * 60 * 60 * 1000

const counted = sql<bigint>`cast(coalesce(sum(
  coalesce(settled_usd_micros, reserved_usd_micros) + coalesce(settled_gas_usd_micros, reserved_gas_usd_micros)
), 0) as bigint)`

const countedGas = sql<bigint>`cast(coalesce(sum(coalesce(settled_gas_usd_micros, reserved_gas_usd_micros)), 0) as bigint)`
