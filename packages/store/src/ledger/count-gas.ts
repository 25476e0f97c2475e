import { type Kysely, sql, type Transaction } from 'kysely'
import { preparedRow, preparedSearch } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { requireAmount, amountsText, nativeCurrency } from './budget.ts'
import { touchLatestSession } from './spent.ts'

/**
 * Notes in the journal what the gas of mined transactions counts as, in millionths of a US dollar, and gives those that
 * had not been counted before: so each counts once, whoever comes first. Throws `AMOUNT_INVALID`.
 */
export async function countGas(trx: Transaction<Schema>, gas: readonly GasCost[]): Promise<readonly GasCost[]> {
  const counted: GasCost[] = []
  for (const cost of gas) {
    requireAmount(cost.usdMicros)
    const noted = await noteGas(trx, { hash: cost.hash, usdMicros: cost.usdMicros })
    if (noted !== undefined) counted.push(cost)
  }
  return counted
}

const noteGas = preparedRow<Pick<GasCost, 'hash' | 'usdMicros'>, { readonly hash: string }>((db, value) =>
  db
    .updateTable('journal')
    .set({ gas_usd_micros: value('usdMicros') })
    .where('hash', '=', value('hash'))
    .where('gas_usd_micros', 'is', null)
    .returning('hash'),
)

/**
 * Puts gas that no reservation settles into the ledger: a settled row of no amount for each transaction, of whoever
 * reserved for the same request, and else of the server itself.
 */
export async function countUnreservedGas(trx: Transaction<Schema>, gas: readonly GasCost[], at: number): Promise<void> {
  for (const { hash, usdMicros, wei } of await countGas(trx, gas)) {
    const entry = await trx.selectFrom('journal').selectAll().where('hash', '=', hash).executeTakeFirstOrThrow()
    const { request_id, chain_id } = entry
    const reserved = trx.selectFrom('reservation').select('principal').where('request_id', '=', request_id)
    const principal = (await reserved.limit(1).executeTakeFirst())?.principal ?? 'server'
    await trx
      .insertInto('reservation')
      .values({
        id: `gas:${hash}`,
        request_id,
        principal,
        chain_id: Number(chain_id),
        session_id: await touchLatestSession(trx, principal, at),
        reserved_usd_micros: 0n,
        settled_usd_micros: 0n,
        settled_gas_usd_micros: usdMicros,
        amounts: amountsText(new Map([[nativeCurrency, wei]])),
        state: 'settled',
        reserved_at: at,
        closed_at: at,
      })
      .execute()
  }
}

/** What the gas of one mined transaction cost, in millionths of a US dollar and in native currency. */
export type GasCost = { readonly hash: string; readonly usdMicros: bigint; readonly wei: bigint }

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

/**
 * Transactions mined for good on a chain whose gas is not counted, oldest first: those of no reservation, and those of one
 * that is closed. What draws on an open one is counted when that is settled.
 */
export async function uncountedGas(db: Kysely<Schema>, chainId: number): Promise<readonly UncountedGas[]> {
  const rows = await uncountedOf(db, { chainId: BigInt(chainId) })
  return rows.map(({ hash, request_id }) => ({ hash, requestId: request_id }))
}

const uncountedOf = preparedSearch<
  { readonly chainId: bigint },
  { readonly hash: string; readonly request_id: string }
>((db, value) =>
  db
    .selectFrom('journal')
    .leftJoin('reservation', 'reservation.id', 'journal.reservation_id')
    .select(['journal.hash', 'journal.request_id'])
    .where('journal.chain_id', '=', value('chainId'))
    .where('journal.gas_usd_micros', 'is', null)
    // Written out, or the partial index of these states does not serve.
    .where('journal.state', 'in', [sql.lit('final'), sql.lit('reverted')])
    .where((where) => where.or([where('reservation.state', 'is', null), where('reservation.state', '<>', 'reserved')]))
    .orderBy('journal.sequence')
    .limit(100),
)

export type UncountedGas = { readonly hash: string; readonly requestId: string }
