import { isDeepStrictEqual } from 'node:util'
import { Migrator, sql, type CreateTableBuilder, type Kysely, type Migration } from 'kysely'
import type { Schema } from './schema.ts'
import { createOrderTable, indexOrderOwner } from './orders/orders.ts'
import { createBarTable, createTokenTable } from './caches.ts'
import { createRevocationTable } from './pending-revocations.ts'
import { addLent, createRateBucketTable } from './claims/rate-leases.ts'
import { createRateUseTable } from './claims/rate-limits.ts'
import { createMemoryTable } from './memory.ts'
import { createRestoredTable } from './backup/restored-copy.ts'
import { createLeadershipTables } from './leadership.ts'
import { createSignInTables } from './sign-ins.ts'
import { addPassing, createTaskTable } from './tasks.ts'
import { createWatchTables } from './watches.ts'
import { StoreError } from './store-error.ts'

/**
 * Brings the schema up to date. Only for one process at a time: the engine holds its lock around this. Throws
 * `STORE_SCHEMA_UNKNOWN` for a database with steps this version does not know.
 */
export async function migrate(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  if (dialect.name === 'sqlite' && (await hasEveryStep(db))) return
  const migrationTableSchema = dialect.name === 'postgres' ? { migrationTableSchema: dialect.schema } : {}
  const provider = { getMigrations: async () => migrationsOf(dialect) }
  const { error } = await new Migrator({ db, provider, ...migrationTableSchema }).migrateToLatest()
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
    const message = 'The database was written by a newer version of this program.'
    throw new StoreError('STORE_SCHEMA_UNKNOWN', message, { cause: error })
  }
  if (error !== undefined) throw error
}

export type Dialect = { readonly name: 'sqlite' } | { readonly name: 'postgres'; readonly schema: string }

/** What the migrator finds out by reading the whole schema, at every start. */
async function hasEveryStep(db: Kysely<Schema>): Promise<boolean> {
  const tables = await sql`select 1 from sqlite_master where name = 'kysely_migration'`.execute(db)
  if (tables.rows.length === 0) return false
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return isDeepStrictEqual(
    rows.map(({ name }) => name),
    Object.keys(migrationsOf({ name: 'sqlite' })),
  )
}

/** By name, in order. A step that has been released never changes. */
export function migrationsOf(dialect: Dialect): Record<string, Migration> {
  const numbered = <Table extends string>(db: Kysely<unknown>, table: Table) =>
    addSequence(db.schema.createTable(table), 'sequence', dialect)
  return {
    '0001-journal-ledger-idempotency': { up: (db) => createFirstTables(db, dialect) },
    '0002-operation': { up: (db) => createOperationTable(db, dialect) },
    '0003-rate-use': { up: (db) => createRateUseTable(db, numbered(db, 'rate_use')) },
    '0004-gas': { up: addGas },
    '0005-operator-request': { up: addOperatorRequest },
    '0006-journal-waiting': { up: indexWhatWaits },
    '0007-covered-gas': { up: addCoveredGas },
    '0008-claim-pin': { up: (db) => createSupportTables(db, dialect) },
    '0009-bar-chunk': { up: (db) => createBarTable(numbered(db, 'bar_chunk')) },
    '0010-budget-sighting': { up: (db) => createValueTables(db, dialect) },
    '0011-exit': { up: addExit },
    '0012-amounts': { up: addText('reservation', 'amounts') },
    '0013-repayment': { up: addText('reservation', 'repayment') },
    // Keys of before are bound to nothing: what their calls left waiting is carried out by its own id.
    '0014-stored-operation': { up: addText('idempotency', 'operation_id') },
    '0015-lowered': { up: addLowered },
    '0016-user-operation': { up: addUserOperation },
    '0017-signed-order': { up: (db) => createOrderTable(db, numbered(db, 'signed_order')) },
    '0018-memory': { up: (db) => createMemoryTable(db, numbered(db, 'memory')) },
    '0019-submission': { up: addText('journal', 'submission') },
    '0020-watches': { up: (db) => createWatchTables(db, numbered(db, 'watch'), numbered(db, 'watch_event')) },
    '0021-order-kind': { up: addText('signed_order', 'kind') },
    '0022-token-fact': { up: (db) => createTokenTable(numbered(db, 'token_fact')) },
    '0023-sign-in': { up: createSignInTables },
    '0024-order-owner': { up: indexOrderOwner },
    '0025-task': { up: (db) => createTaskTable(db, numbered(db, 'task')) },
    '0026-rate-bucket': { up: createRateBucketTable },
    '0027-task-passing': { up: addPassing },
    '0028-pending-revocation': { up: (db) => createRevocationTable(numbered(db, 'pending_revocation')) },
    '0029-restored-copy': { up: createRestoredTable },
    '0030-leadership': { up: createLeadershipTables },
    '0031-rate-lent': { up: addLent },
  }
}

/** A number that grows with every row. */
function addSequence<Table extends string>(
  table: CreateTableBuilder<Table>,
  name: string,
  dialect: Dialect,
): CreateTableBuilder<Table> {
  if (dialect.name === 'sqlite')
    return table.addColumn(name, 'integer', (column) => column.primaryKey().autoIncrement())
  return table.addColumn(name, 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
}

async function createFirstTables(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await addSequence(db.schema.createTable('spending_session'), 'id', dialect)
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('opened_at', 'bigint', (column) => column.notNull())
    .addColumn('last_spend_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('spending_session_of').on('spending_session').columns(['principal', 'id']).execute()
  await db.schema
    .createTable('reservation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('session_id', dialect.name === 'sqlite' ? 'integer' : 'bigint', (column) =>
      column.notNull().references('spending_session.id'),
    )
    .addColumn('reserved_usd_micros', 'bigint', (column) => column.notNull())
    .addColumn('settled_usd_micros', 'bigint')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reserved_at', 'bigint', (column) => column.notNull())
    .addColumn('closed_at', 'bigint')
    .execute()
  await db.schema.createIndex('reservation_age').on('reservation').columns(['state', 'closed_at']).execute()
  await db.schema.createIndex('reservation_session').on('reservation').column('session_id').execute()
  await addSequence(db.schema.createTable('journal'), 'sequence', dialect)
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('step', 'integer', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('from_address', 'text', (column) => column.notNull())
    .addColumn('nonce', 'bigint', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('raw_transaction', 'text', (column) => column.notNull())
    .addColumn('reservation_id', 'text', (column) => column.references('reservation.id'))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('signed_at', 'bigint', (column) => column.notNull())
    .addColumn('block_number', 'bigint')
    .addColumn('block_hash', 'text')
    .addColumn('gas_used', 'bigint')
    .execute()
  await sql`create unique index journal_slot on journal (chain_id, lower(from_address), nonce, attempt)`.execute(db)
  await db.schema.createIndex('journal_request').on('journal').column('request_id').execute()
  await db.schema.createIndex('journal_reservation').on('journal').column('reservation_id').execute()
  await sql`create index journal_open on journal (chain_id) where state in ('signed', 'broadcast', 'mined')`.execute(db)
  await db.schema
    .createTable('idempotency')
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('body_hash', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('run', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_key', ['principal', 'key'])
    .execute()
  await db.schema.createIndex('idempotency_age').on('idempotency').column('created_at').execute()
}

async function createOperationTable(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await addSequence(db.schema.createTable('operation'), 'sequence', dialect)
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('principal_id', 'text', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('input', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('plan_hash', 'text', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('intent', 'text', (column) => column.notNull())
    .addColumn('spend_usd_micros', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('execute_after', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('decided_by', 'text')
    .addColumn('decided_at', 'bigint')
    .addColumn('request_id', 'text')
    .addColumn('answer', 'text')
    .addColumn('claimed_from', 'text')
    .addColumn('run', 'text')
    .addColumn('ended_at', 'bigint')
    .execute()
  await db.schema.createIndex('operation_of').on('operation').columns(['principal_id', 'state', 'sequence']).execute()
  await db.schema.createIndex('operation_due').on('operation').columns(['state', 'execute_after']).execute()
  await db.schema.createIndex('operation_age').on('operation').column('ended_at').execute()
}

/** What is asked before every write of an address must not take longer with every write it has made. */
async function indexWhatWaits(db: Kysely<unknown>): Promise<void> {
  const slot = sql`journal (chain_id, lower(from_address), nonce, attempt)`
  await sql`drop index journal_open`.execute(db)
  await sql`create index journal_open on ${slot} where state in ('signed', 'broadcast', 'mined')`.execute(db)
  await sql`create index journal_refused on ${slot} where state = 'refused'`.execute(db)
}

/** What was mined before gas counted is taken as counted: nothing of it is known in dollars. */
async function addGas(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('reservation')
    .addColumn('reserved_gas_usd_micros', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('reservation').addColumn('settled_gas_usd_micros', 'bigint').execute()
  await db.schema.alterTable('journal').addColumn('gas_usd_micros', 'bigint').execute()
  await sql`update reservation set settled_gas_usd_micros = 0 where state = 'settled'`.execute(db)
  await sql`update journal set gas_usd_micros = 0 where state in ('final', 'reverted')`.execute(db)
  await sql`
    create index journal_uncounted on journal (chain_id) where gas_usd_micros is null and state in ('final', 'reverted')
  `.execute(db)
}

async function addOperatorRequest(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('journal').addColumn('asked', 'text').execute()
  await db.schema.alterTable('journal').addColumn('asked_by', 'text').execute()
  await db.schema.alterTable('journal').addColumn('asked_at', 'bigint').execute()
  await db.schema.alterTable('journal').addColumn('asked_outcome', 'text').execute()
  await sql`create index journal_asked on journal (sequence) where asked is not null and asked_outcome is null`.execute(
    db,
  )
}

/** What was covered for raised fees before stands in the reservation alone: it is covered once more at the most. */
async function addCoveredGas(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('journal')
    .addColumn('covered_gas_usd_micros', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}

/** What was reserved before counts as one that does not bring funds home. */
async function addExit(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('reservation')
    .addColumn('is_exit', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}

/** A column of text, of which rows of before say nothing. */
const addText = (table: string, column: string) => (db: Kysely<unknown>) =>
  db.schema.alterTable(table).addColumn(column, 'text').execute()

/** What was settled before waits for no block. */
async function addLowered(db: Kysely<unknown>): Promise<void> {
  for (const table of ['reservation', 'reservation_budget'])
    await db.schema.alterTable(table).addColumn('lowered_usd_micros', 'bigint').execute()
  await sql`create index reservation_held on reservation (chain_id) where lowered_usd_micros is not null`.execute(db)
}

/** A user operation has a nonce at the entry point, which says nothing of the wallet's own: it stands at a negative one. */
async function addUserOperation(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('journal').addColumn('user_operation', 'text').execute()
  await sql`
    create index journal_operations on journal (chain_id, sequence)
    where nonce < 0 and state in ('signed', 'broadcast', 'refused')
  `.execute(db)
}

/** What the support API keeps: grants of its faucet, who pinned what, and the pinned content itself. */
async function createSupportTables(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await addSequence(db.schema.createTable('claim'), 'sequence', dialect)
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('amount_wei', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('tx_hash', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('settled_at', 'bigint')
    .execute()
  await db.schema.createIndex('claim_of').on('claim').columns(['chain_id', 'address']).unique().execute()
  await db.schema.createIndex('claim_chain_age').on('claim').columns(['chain_id', 'created_at']).execute()
  await db.schema.createIndex('claim_app_age').on('claim').columns(['app_id', 'created_at']).execute()
  await db.schema.createIndex('claim_network_age').on('claim').columns(['network', 'created_at']).execute()
  await sql`create index claim_waiting on claim (chain_id, sequence) where state in ('queued', 'sent')`.execute(db)
  await db.schema
    .createTable('pin')
    .addColumn('cid', 'text', (column) => column.notNull())
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('pin_of', ['app_id', 'cid'])
    .execute()
  await db.schema
    .createTable('block')
    .addColumn('cid', 'text', (column) => column.primaryKey())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}

/** What reservations hold of budgets, and what was seen of prices. */
async function createValueTables(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('reservation_budget')
    .addColumn('reservation_id', 'text', (column) => column.notNull().references('reservation.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('usd_micros', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('reservation_budget_of', ['reservation_id', 'name'])
    .execute()
  await addSequence(db.schema.createTable('sighting_subject'), 'id', dialect)
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('sighting_subject_of', ['chain_id', 'subject'])
    .execute()
  await db.schema.createIndex('sighting_subject_age').on('sighting_subject').columns(['seen_at', 'id']).execute()
  await db.schema
    .createTable('sighting')
    .addColumn('subject_id', dialect.name === 'sqlite' ? 'integer' : 'bigint', (column) =>
      column.notNull().references('sighting_subject.id').onDelete('cascade'),
    )
    .addColumn('slot', 'bigint', (column) => column.notNull())
    .addColumn('at_seconds', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('sighting_of', ['subject_id', 'slot'])
    .execute()
  await db.schema.createIndex('sighting_age').on('sighting').column('at_seconds').execute()
}
