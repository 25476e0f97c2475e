import { type Insertable, type Selectable, type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { requireNoPause } from '../shared-switches.ts'
import { StoreError } from '../store-error.ts'

/**
 * Signed orders: each is on disk, with its signature and the reservation it draws on, before anybody else can have it, and stays open
 * until the chain has decided. What has ended stays on record.
 */
export function createOrders(engine: Engine, now: () => number): SignedOrders {
  return {
    record: (order, terms = {}) =>
      engine.write('spend', async (trx) => {
        if (terms.unlessPaused === true) await requireNoPause(trx)
        const known = await trx
          .selectFrom('signed_order')
          .select('operation_id')
          .where((where) =>
            where.or([
              where('operation_id', '=', order.operationId),
              where.and([where('chain_id', '=', BigInt(order.chainId)), where('order_id', '=', order.orderId)]),
            ]),
          )
          .executeTakeFirst()
        if (known !== undefined) throw new StoreError('ORDER_EXISTS', `Order ${order.orderId} was recorded before.`)
        const row = await trx
          .insertInto('signed_order')
          .values(toRow(order, now()))
          .returningAll()
          .executeTakeFirstOrThrow()
        return toOrder(row)
      }),
    accept: (operationId) =>
      engine.write('spend', async (trx) => {
        const open = trx.updateTable('signed_order').set({ state: 'accepted' }).where('operation_id', '=', operationId)
        await open.where('state', '=', 'signed').execute()
      }),
    end: (operationId, { state, outcome }) =>
      engine.write('spend', async (trx) => {
        await trx
          .updateTable('signed_order')
          .set({ state, outcome, ended_at: now() })
          .where('operation_id', '=', operationId)
          .where('state', 'in', openStates)
          .execute()
      }),
    async open(chainId) {
      const rows = await engine.read((db) =>
        db
          .selectFrom('signed_order')
          .selectAll()
          .where('state', 'in', openStates)
          .$if(chainId !== null, (some) => some.where('chain_id', '=', BigInt(chainId ?? 0)))
          .orderBy('sequence')
          .execute(),
      )
      return rows.map(toOrder)
    },
    async list({ principalId, states, requestIds, limit }) {
      // PostgreSQL knows no empty list.
      if (states?.length === 0 || requestIds?.length === 0) return []
      const rows = await engine.read((db) =>
        db
          .selectFrom('signed_order')
          .selectAll()
          .where('principal_id', '=', principalId)
          .$if(states !== undefined, (some) => some.where('state', 'in', states ?? []))
          .$if(requestIds !== undefined, (some) => some.where('request_id', 'in', requestIds ?? []))
          .orderBy('sequence', 'desc')
          .limit(limit)
          .execute(),
      )
      return rows.map(toOrder)
    },
    async byOperation(operationId) {
      const row = await engine.read((db) =>
        db.selectFrom('signed_order').selectAll().where('operation_id', '=', operationId).executeTakeFirst(),
      )
      return row === undefined ? null : toOrder(row)
    },
    async byOrder(chainId, orderId) {
      const row = await engine.read((db) =>
        db
          .selectFrom('signed_order')
          .selectAll()
          .where('chain_id', '=', BigInt(chainId))
          .where('order_id', '=', orderId)
          .executeTakeFirst(),
      )
      return row === undefined ? null : toOrder(row)
    },
    async byRequest(requestId) {
      const rows = await engine.read((db) =>
        db.selectFrom('signed_order').selectAll().where('request_id', '=', requestId).orderBy('sequence').execute(),
      )
      return rows.map(toOrder)
    },
  }
}

export type SignedOrders = {
  /**
   * Keeps an order that was signed; on disk when it resolves, with the reservation that it draws on. Throws `ORDER_EXISTS` for an
   * operation, or an order of a chain, that is known; with `unlessPaused` `STORE_PAUSED` while all servers of the database are paused.
   */
  record(order: NewSignedOrder, terms?: { readonly unlessPaused?: boolean }): Promise<StoredOrder>
  /** Notes that it was handed to those who fill. One that has ended stays as it is. */
  accept(operationId: string): Promise<void>
  /** Ends it for good. One that has ended stays as it is. */
  end(operationId: string, end: { readonly state: OrderEnd; readonly outcome: string | null }): Promise<void>
  /** What may be filled yet on a chain, or on all, the oldest first. */
  open(chainId: number | null): Promise<readonly StoredOrder[]>
  /** Of a principal, newest first. */
  list(query: OrderQuery): Promise<readonly StoredOrder[]>
  byOperation(operationId: string): Promise<StoredOrder | null>
  /** By the hash of the order, lower case. */
  byOrder(chainId: number, orderId: string): Promise<StoredOrder | null>
  /** What a request has signed. */
  byRequest(requestId: string): Promise<readonly StoredOrder[]>
}

export type OrderQuery = {
  readonly principalId: string
  readonly states?: readonly StoredOrder['state'][]
  /** Only those that one of these requests has signed. */
  readonly requestIds?: readonly string[]
  readonly limit: number
}

export type NewSignedOrder = {
  /** What it is: typed data that others fill (`uniswapx`), or what a transaction opens, to be filled on another chain. */
  readonly kind: OrderKind
  /** What it is followed by. */
  readonly operationId: string
  /** Its hash, lower case. */
  readonly orderId: string
  readonly requestId: string
  readonly principalId: string
  readonly tool: string
  readonly chainId: number
  readonly wallet: string
  readonly reservationId: string
  readonly why: string
  readonly spendUsdMicros: bigint
  /** JSON of the order. */
  readonly terms: string
  readonly signature: string
  /** The newest block when it was signed: it is filled in a later one. */
  readonly signedAtBlock: bigint
}

export type StoredOrder = NewSignedOrder & {
  readonly state: 'signed' | 'accepted' | OrderEnd
  /** Unix milliseconds. */
  readonly signedAt: number
  readonly endedAt: number | null
  /** JSON of how it ended. */
  readonly outcome: string | null
}

export type OrderKind = 'uniswapx' | 'cross_chain'

/**
 * Of a cross-chain order: `refunded` where what was put in came back, `unopened` where its transaction opened nothing, `lost` where neither
 * end shows what became of it.
 */
export type OrderEnd = 'filled' | 'expired' | 'cancelled' | 'refunded' | 'unopened' | 'lost'

const openStates = ['signed', 'accepted'] as const

function toRow(order: NewSignedOrder, at: number): Insertable<Schema['signed_order']> {
  return {
    kind: order.kind === 'uniswapx' ? null : order.kind,
    operation_id: order.operationId,
    order_id: order.orderId,
    request_id: order.requestId,
    principal_id: order.principalId,
    tool: order.tool,
    chain_id: order.chainId,
    wallet: order.wallet,
    reservation_id: order.reservationId,
    why: order.why,
    spend_usd_micros: order.spendUsdMicros,
    terms: order.terms,
    signature: order.signature,
    signed_at_block: order.signedAtBlock,
    state: 'signed',
    signed_at: at,
  }
}

function toOrder(row: Selectable<Schema['signed_order']>): StoredOrder {
  return {
    kind: row.kind ?? 'uniswapx',
    operationId: row.operation_id,
    orderId: row.order_id,
    requestId: row.request_id,
    principalId: row.principal_id,
    tool: row.tool,
    chainId: Number(row.chain_id),
    wallet: row.wallet,
    reservationId: row.reservation_id,
    why: row.why,
    spendUsdMicros: row.spend_usd_micros,
    terms: row.terms,
    signature: row.signature,
    signedAtBlock: row.signed_at_block,
    state: row.state,
    signedAt: Number(row.signed_at),
    endedAt: row.ended_at === null ? null : Number(row.ended_at),
    outcome: row.outcome,
  }
}

/** @param table with the number of each row */
export async function createOrderTable(
  db: Kysely<unknown>,
  table: CreateTableBuilder<'signed_order', 'sequence'>,
): Promise<void> {
  await table
    .addColumn('operation_id', 'text', (column) => column.notNull().unique())
    .addColumn('order_id', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('principal_id', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('wallet', 'text', (column) => column.notNull())
    .addColumn('reservation_id', 'text', (column) => column.notNull().references('reservation.id'))
    .addColumn('why', 'text', (column) => column.notNull())
    .addColumn('spend_usd_micros', 'bigint', (column) => column.notNull())
    .addColumn('terms', 'text', (column) => column.notNull())
    .addColumn('signature', 'text', (column) => column.notNull())
    .addColumn('signed_at_block', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('signed_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('outcome', 'text')
    .addUniqueConstraint('signed_order_of', ['chain_id', 'order_id'])
    .execute()
  await sql`create index signed_order_open on signed_order (chain_id) where state in ('signed', 'accepted')`.execute(db)
  await db.schema.createIndex('signed_order_request').on('signed_order').column('request_id').execute()
}

export async function indexOrderOwner(db: Kysely<unknown>): Promise<void> {
  const index = db.schema.createIndex('signed_order_owner').on('signed_order')
  await index.columns(['principal_id', 'sequence']).execute()
}
