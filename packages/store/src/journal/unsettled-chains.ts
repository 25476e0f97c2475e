import { sql } from 'kysely'
import { preparedQuery } from '../engine.ts'
import { literally, openStates } from './journal-queries.ts'

/**
 * The chains on which anything of ours waits for its end: a transaction of any wallet that is not decided or whose gas is not counted, a
 * reservation that is open or may fall yet, an order that may be filled, an allowance that is owed or has just ended. One question for all
 * of them, for most chains have none of it.
 */
export const unsettledChains = preparedQuery<{ readonly since: bigint }, { readonly chain_id: bigint }>((db, value) =>
  db
    .selectFrom('journal')
    .select('chain_id')
    .where('state', 'in', openStates.map(literally))
    .union(db.selectFrom('journal').select('chain_id').where('state', '=', literally('refused')))
    .union(
      db
        .selectFrom('journal')
        .select('chain_id')
        .where('gas_usd_micros', 'is', null)
        .where('state', 'in', ['final', 'reverted'].map(literally)),
    )
    .union(db.selectFrom('reservation').select('chain_id').where('state', '=', literally('reserved')))
    .union(
      db
        .selectFrom('reservation')
        .select('chain_id')
        .where('lowered_usd_micros', 'is not', null)
        .where('closed_at', '>', value('since')),
    )
    .union(
      db
        .selectFrom('signed_order')
        .select('chain_id')
        .where(sql<boolean>`state in ('signed', 'accepted')`),
    )
    .union(db.selectFrom('pending_revocation').select('chain_id')),
)
