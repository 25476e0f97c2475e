import { type CreateTableBuilder, type Kysely, sql } from 'kysely'

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
