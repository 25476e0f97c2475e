import type { Journal, JournalEntry, JournalFacts, JournalState } from '@svc/wallet/core'
import { type Kysely, type Transaction, sql } from 'kysely'
import { type Engine, preparedQuery } from '../engine.ts'
import { journalQueries, type JournalRow, literally, openStates } from './journal-queries.ts'
import { toEntry } from './journal.ts'
import type { Schema } from '../schema.ts'
import { sinceDay } from '../ledger/spent.ts'
import { StoreError } from '../store-error.ts'

/**
 * The journal as its operator sees it: the transactions of every wallet, and what was asked about them. A request stands in
 * the row of its transaction, so it outlives whoever asked, and commands and server need nothing else to meet.
 */
export function createTransactions(engine: Engine, now: () => number): Transactions {
  const ask = journalQueries()
  const found = async (find: (db: Kysely<Schema>) => Promise<readonly JournalRow[]>): Promise<StoredTransaction[]> =>
    (await engine.read(find)).map(toStored)
  return {
    async list({ states, limit }) {
      const rows = await engine.read((db) => {
        const query = db
          .selectFrom('journal')
          .selectAll()
          .where('state', 'in', [...states])
          .orderBy('sequence', 'desc')
        return (limit === undefined ? query : query.limit(limit)).execute()
      })
      return rows.toReversed().map(toStored)
    },
    async count(states) {
      const { count } = await engine.read((db) =>
        db
          .selectFrom('journal')
          .select((select) => select.fn.countAll().as('count'))
          .where('state', 'in', [...states])
          .executeTakeFirstOrThrow(),
      )
      return Number(count)
    },
    async byHash(hash) {
      const row = await engine.read((db) => ask.byHash(db, { hash }))
      if (row !== undefined) return toStored(row)
      if (!/^0x[0-9a-f]{64}$/.test(hash)) return null
      const [operation] = await found((db) => ask.operationSigned(db, { like: `%"userOperationHash":"${hash}"%` }))
      return operation ?? null
    },
    byNonce: (chainId, from, nonce) =>
      found((db) => ask.byNonce(db, { chainId: BigInt(chainId), from: from.toLowerCase(), nonce: BigInt(nonce) })),
    byRequest: (requestId) => found((db) => ask.byRequest(db, { requestId })),
    openOperations: (chainId) => found((db) => ask.operations(db, { chainId: BigInt(chainId) })),
    endOperation: (hash, end) => engine.write('spend', (trx) => endOperationIn(trx, hash, end)),
    ask: (hash, request) => engine.write('spend', (trx) => askIn(trx, hash, request, now())),
    asked: () => found((db) => ask.asked(db, {})),
    async endAsked(hash, what, outcome) {
      await engine.write('spend', (trx) =>
        trx
          .updateTable('journal')
          .set({ asked_outcome: outcome })
          .where('hash', '=', hash)
          .where('asked', '=', what)
          .where('asked_outcome', 'is', null)
          .execute(),
      )
    },
    async unsettledChains() {
      const rows = await engine.read((db) => unsettledChains(db, sinceDay(now())))
      return new Set(rows.map(({ chain_id }) => Number(chain_id)))
    },
    async wallets(chainId) {
      const chain = { chainId: BigInt(chainId) }
      const rows = await engine.read(async (db) => [
        ...(await ask.openWallets(db, chain)),
        ...(await ask.refusedWallets(db, chain)),
      ])
      return [...new Set(rows.map(({ from_address }) => from_address as Address))]
    },
  }
}

export type Transactions = {
  /** The newest `limit` in these states, all without one; oldest first. */
  list(query: {
    readonly states: readonly JournalState[]
    readonly limit?: number
  }): Promise<readonly StoredTransaction[]>
  /** How many are in these states. */
  count(states: readonly JournalState[]): Promise<number>
  byHash(hash: Hash): Promise<StoredTransaction | null>
  /** Every attempt at a nonce, first attempt first. */
  byNonce(...slot: Parameters<Journal['byNonce']>): Promise<readonly StoredTransaction[]>
  /** In the order they were signed. */
  byRequest(requestId: string): Promise<readonly StoredTransaction[]>
  /** User operations of any wallet on a chain whose end is not known, oldest first. */
  openOperations(chainId: number): Promise<readonly StoredTransaction[]>
  /**
   * Ends a user operation: as part of the transaction that held it, whose hash is the entry's from then on, or as one that has no effect
   * any more. One that has ended stays as it is.
   */
  endOperation(hash: Hash, end: OperationEnd): Promise<void>
  /**
   * Leaves a request for the server that holds the wallet. The same again changes nothing; another takes its place, as does
   * one about a transaction whose last request has ended. Throws `JOURNAL_ENTRY_UNKNOWN`, and `JOURNAL_ENTRY_CLOSED` for a
   * transaction that waits for no block (a cancellation), or that is final or was never mined.
   */
  ask(hash: Hash, request: Pick<OperatorRequest, 'what' | 'by'>): Promise<StoredTransaction>
  /** Those with a request that has not ended, oldest first. */
  asked(): Promise<readonly StoredTransaction[]>
  /** Ends what was asked about a transaction; changes nothing where something else is asked by now, or it has ended. */
  endAsked(hash: Hash, what: OperatorRequest['what'], outcome: RequestOutcome): Promise<void>
  /** The chains on which anything of any wallet waits for its end; on every other chain there is nothing to look for. */
  unsettledChains(): Promise<ReadonlySet<number>>
  /** The addresses with anything open or declined on a chain. */
  wallets(chainId: number): Promise<readonly Address[]>
}

export type OperationEnd =
  | ({ readonly state: 'final' | 'reverted'; readonly txHash: Hash } & Required<JournalFacts>)
  | { readonly state: 'superseded' }

export type StoredTransaction = JournalEntry & { readonly asked: OperatorRequest | null }

/** What an operator asked about a transaction. */
export type OperatorRequest = {
  /** `cancel`, or the hash of the transaction that is said to have used the nonce up. */
  readonly what: 'cancel' | Hash
  /** For example `operator:ada`. */
  readonly by: string
  /** Unix milliseconds. */
  readonly at: number
  /** `null` until it has ended. */
  readonly outcome: RequestOutcome | null
}

/**
 * - cancelled: an empty transfer was mined in its place
 * - mined: it was mined, itself or the same call with higher fees
 * - superseded: a transaction of somebody else was mined at its nonce
 * - other-wallet: the server that runs has no key for its wallet
 * - no-chain: the server that runs does not know its chain
 * - not-proved: what was named did not use its nonce up, or is not settled
 */
export type RequestOutcome = 'cancelled' | 'mined' | 'superseded' | 'other-wallet' | 'no-chain' | 'not-proved'

async function askIn(
  trx: Transaction<Schema>,
  hash: Hash,
  { what, by }: Pick<OperatorRequest, 'what' | 'by'>,
  at: number,
): Promise<StoredTransaction> {
  const row = await trx.selectFrom('journal').selectAll().where('hash', '=', hash).executeTakeFirst()
  if (row === undefined) throw new StoreError('JOURNAL_ENTRY_UNKNOWN', `The journal holds no transaction ${hash}.`)
  if (row.user_operation !== null) {
    throw new StoreError('JOURNAL_ENTRY_CLOSED', `${hash} is a user operation, which ends by itself in some minutes.`)
  }
  const states = what === 'cancel' ? waiting : undecided
  if (!states.includes(row.state)) {
    throw new StoreError('JOURNAL_ENTRY_CLOSED', `Transaction ${hash} is ${row.state}; it is too late for this.`)
  }
  if (row.asked === what && row.asked_outcome === null) return toStored(row)
  const change = { asked: what, asked_by: by, asked_at: at, asked_outcome: null }
  await trx.updateTable('journal').set(change).where('hash', '=', hash).execute()
  return toStored({ ...row, ...change, asked_at: BigInt(at) })
}

async function endOperationIn(trx: Transaction<Schema>, hash: Hash, end: OperationEnd): Promise<void> {
  const facts =
    end.state === 'superseded'
      ? {}
      : { hash: end.txHash, block_number: end.blockNumber, block_hash: end.blockHash, gas_used: end.gasUsed }
  await trx
    .updateTable('journal')
    .set({ state: end.state, ...facts })
    .where('hash', '=', hash)
    .where('user_operation', 'is not', null)
    .where('state', 'in', ['signed', 'broadcast', 'refused'] satisfies JournalState[])
    .execute()
}

type Hash = JournalEntry['hash']
type Address = JournalEntry['from']

const waiting: readonly string[] = ['signed', 'broadcast'] satisfies readonly JournalState[]
const undecided: readonly string[] = [...waiting, 'refused']

function toStored(row: JournalRow): StoredTransaction {
  const { asked, asked_by, asked_at, asked_outcome } = row
  const request =
    asked === null
      ? null
      : {
          what: asked as OperatorRequest['what'],
          by: asked_by ?? 'operator',
          at: Number(asked_at ?? 0n),
          outcome: asked_outcome as RequestOutcome | null,
        }
  return { ...toEntry(row), asked: request }
}

/**
 * The chains on which anything of ours waits for its end: a transaction of any wallet that is not decided or whose gas is not counted, a
 * reservation that is open or may fall yet, an order that may be filled, an allowance that is owed or has just ended. One question for all
 * of them, for most chains have none of it.
 */
const unsettledChains = preparedQuery<{ readonly since: bigint }, { readonly chain_id: bigint }>((db, value) =>
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
