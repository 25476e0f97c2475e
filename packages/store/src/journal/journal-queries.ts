import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { preparedQuery, preparedRow, preparedSearch, type ValueOf } from '../engine.ts'
import type { Schema } from '../schema.ts'
import type { JournalState } from '@svc/wallet/core'

/** What the journal asks and writes. Addresses are compared in lower case, and kept as they were given. */
export function journalQueries() {
  return {
    highest: preparedRow<Account, { readonly highest: unknown }>((db, value) =>
      db
        .selectFrom('journal')
        .select((select) => select.fn.max('nonce').as('highest'))
        .where('chain_id', '=', value('chainId'))
        .where(isFrom(value('from')))
        .where('state', '<>', 'refused'),
    ),
    open: preparedSearch<Account, JournalRow>((db, value) =>
      ofAccount(db, value).where('state', 'in', openStates.map(literally)).orderBy('nonce').orderBy('attempt'),
    ),
    refused: preparedSearch<Account, JournalRow>((db, value) =>
      ofAccount(db, value).where('state', '=', literally('refused')).orderBy('nonce').orderBy('attempt'),
    ),
    openWallets: preparedQuery<Pick<Account, 'chainId'>, Pick<JournalRow, 'from_address'>>((db, value) =>
      walletsOn(db, value).where('state', 'in', openStates.map(literally)),
    ),
    refusedWallets: preparedQuery<Pick<Account, 'chainId'>, Pick<JournalRow, 'from_address'>>((db, value) =>
      walletsOn(db, value).where('state', '=', literally('refused')),
    ),
    asked: preparedQuery<Readonly<Record<string, unknown>>, JournalRow>((db) =>
      db
        .selectFrom('journal')
        .selectAll()
        .where('asked', 'is not', null)
        .where('asked_outcome', 'is', null)
        .orderBy('sequence'),
    ),
    byNonce: preparedQuery<Account & { readonly nonce: bigint }, JournalRow>((db, value) =>
      ofAccount(db, value).where('nonce', '=', value('nonce')).orderBy('attempt'),
    ),
    byHash: preparedRow<{ readonly hash: string }, JournalRow>((db, value) =>
      db.selectFrom('journal').selectAll().where('hash', '=', value('hash')),
    ),
    stateOf: preparedRow<{ readonly hash: string }, Pick<JournalRow, 'state'>>((db, value) =>
      db.selectFrom('journal').select('state').where('hash', '=', value('hash')),
    ),
    /** A user operation by the hash it was signed under, which gives way to that of the transaction that includes it. */
    operationSigned: preparedQuery<{ readonly like: string }, JournalRow>((db, value) =>
      db.selectFrom('journal').selectAll().where('nonce', '<', 0n).where('user_operation', 'like', value('like')),
    ),
    byRequest: preparedSearch<{ readonly requestId: string }, JournalRow>((db, value) =>
      db.selectFrom('journal').selectAll().where('request_id', '=', value('requestId')).orderBy('sequence'),
    ),
    taken: preparedRow<Slot, { readonly hash: string }>((db, value) =>
      db
        .selectFrom('journal')
        .select('hash')
        .where((where) =>
          where.or([
            where('hash', '=', value('hash')),
            where.and([
              where('chain_id', '=', value('chainId')),
              isFrom(value('from')),
              where('nonce', '=', value('nonce')),
              where('attempt', '=', value('attempt')),
            ]),
            // Found by its request: by account and chain, SQLite would walk every transaction that the account ever made.
            where.and([
              where('request_id', '=', value('requestId')),
              where('step', '=', value('step')),
              sql<boolean>`+chain_id = ${value('chainId')}`,
              isFrom(value('from')),
              where('nonce', '!=', value('nonce')),
            ]),
          ]),
        )
        .limit(1),
    ),
    operations: preparedSearch<Pick<Account, 'chainId'>, JournalRow>((db, value) =>
      db
        .selectFrom('journal')
        .selectAll()
        .where('chain_id', '=', value('chainId'))
        .where('nonce', '<', sql.lit(0n))
        .where('state', 'in', openOperationStates.map(literally))
        .orderBy('sequence'),
    ),
    operationsAt: preparedQuery<Account & { readonly nonce: bigint }, { readonly hash: string }>((db, value) =>
      db
        .selectFrom('journal')
        .select('hash')
        .where('chain_id', '=', value('chainId'))
        .where(isFrom(value('from')))
        .where('nonce', '=', value('nonce')),
    ),
    reservation: preparedRow<{ readonly id: string }, { readonly state: string }>((db, value) =>
      db.selectFrom('reservation').select('state').where('id', '=', value('id')),
    ),
    insert: preparedQuery<NewRow, unknown>((db, value) =>
      db.insertInto('journal').values({
        hash: value('hash'),
        request_id: value('requestId'),
        step: value('step'),
        chain_id: value('chainId'),
        from_address: value('from'),
        nonce: value('nonce'),
        attempt: value('attempt'),
        raw_transaction: value('rawTransaction'),
        reservation_id: value('reservationId'),
        state: 'signed',
        signed_at: value('signedAt'),
        user_operation: value('userOperation'),
        submission: value('submission'),
      }),
    ),
    publish: preparedQuery<{ readonly hash: string }, unknown>((db, value) =>
      db
        .updateTable('journal')
        .set({ submission: 'public' })
        .where('hash', '=', value('hash'))
        .where('submission', '=', literally('private')),
    ),
    mark: preparedQuery<Mark, unknown>((db, value) => marked(db, value)),
    /** The same of an entry that is open, which most are: one statement finds and marks it. */
    markOpen: preparedRow<Mark, { readonly hash: string }>((db, value) =>
      marked(db, value).where('state', 'in', openStates.map(literally)).returning('hash'),
    ),
  }
}

export type JournalQueries = ReturnType<typeof journalQueries>

export type JournalRow = Selectable<Schema['journal']>

/** One address on one chain; the address in lower case. */
export type Account = { readonly chainId: bigint; readonly from: string }

/** What became of such an entry is not known for good. */
export const openStates: readonly string[] = ['signed', 'broadcast', 'mined'] satisfies JournalState[]

/** What became of a user operation is not known for good: also a bundler that declined it may have passed it on. */
const openOperationStates: readonly string[] = ['signed', 'broadcast', 'refused'] satisfies JournalState[]

type Slot = Account & {
  readonly hash: string
  readonly requestId: string
  readonly step: bigint
  readonly nonce: bigint
  readonly attempt: bigint
}

type NewRow = {
  readonly hash: string
  readonly requestId: string
  readonly step: number
  readonly chainId: number
  readonly from: string
  readonly nonce: number
  readonly attempt: number
  readonly rawTransaction: string
  readonly reservationId: string | null
  readonly signedAt: number
  readonly userOperation: string | null
  readonly submission: string | null
}

type Mark = {
  readonly hash: string
  readonly state: JournalState
  readonly blockNumber: bigint | null
  readonly blockHash: string | null
  readonly gasUsed: bigint | null
}

function marked(db: Kysely<Schema>, value: ValueOf<Mark>) {
  return db
    .updateTable('journal')
    .set({
      state: value('state'),
      block_number: value('blockNumber'),
      block_hash: value('blockHash'),
      gas_used: value('gasUsed'),
    })
    .where('hash', '=', value('hash'))
}

/** The transactions of an account. User operations stand at negative nonces, since they use none of its own. */
function ofAccount(db: Kysely<Schema>, value: ValueOf<Account>) {
  return db
    .selectFrom('journal')
    .selectAll()
    .where('nonce', '>=', sql.lit(0n))
    .where('chain_id', '=', value('chainId'))
    .where(isFrom(value('from')))
}

/** Once for each row: one address may come often. */
function walletsOn(db: Kysely<Schema>, value: ValueOf<Pick<Account, 'chainId'>>) {
  return db
    .selectFrom('journal')
    .select('from_address')
    .where('nonce', '>=', sql.lit(0n))
    .where('chain_id', '=', value('chainId'))
}

/** Spelled out: of a value that comes later the planner cannot tell that the index over the open entries serves it. */
export function literally(state: string) {
  return sql.lit(state)
}

function isFrom(from: RawBuilder<string>) {
  return sql<boolean>`lower(from_address) = ${from}`
}
