import { Client } from 'pg'
import { openDatabase } from '../sqlite/sqlite-engine.ts'
import { postgresError } from '../postgres/postgres-dialect.ts'
import { migrationsOf } from '../migrations.ts'
import type { StorePlace } from '../open-store.ts'
import { StoreError } from '../store-error.ts'
import { hash } from 'node:crypto'
import type { Schema } from '../schema.ts'

/**
 * Lets `work` read all of the state as it stood at one moment, while servers go on writing: a read transaction over a SQLite file, a
 * repeatable one over PostgreSQL. Nothing is changed, the schema neither, so that data of an older version is read as it is.
 * Throws `STORE_SCHEMA_UNKNOWN` for a newer one, and `STORE_UNAVAILABLE` for a database that cannot be reached.
 */
export async function readState<Result>(
  place: StorePlace,
  work: (snapshot: StateSnapshot) => Promise<Result>,
): Promise<Result> {
  const source = 'path' in place ? openFile(place.path) : await openPostgres(place.url)
  try {
    const steps = await source.steps()
    const unknown = steps.find((step) => !(step in migrationsOf({ name: 'sqlite' })))
    if (unknown !== undefined || steps.length === 0) {
      const message = 'The database was written by a newer version of this program, or is none of ours.'
      throw new StoreError('STORE_SCHEMA_UNKNOWN', message)
    }
    const tables: SnapshotTable[] = []
    for (const name of stateTables) {
      const columns = await source.columns(name)
      if (columns.length === 0 || passingTables.has(name)) continue
      const lastSequence = await source.lastSequence(name)
      tables.push({ name, columns, lastSequence, rows: () => source.rows(name, columns) })
    }
    return await work({ engine: source.engine, steps, tables })
  } finally {
    await source.close()
  }
}

export type StateSnapshot = {
  readonly engine: 'sqlite' | 'postgresql'
  /** The steps of the schema that were done, in order. */
  readonly steps: readonly string[]
  /** Each behind those that its rows refer to. */
  readonly tables: readonly SnapshotTable[]
}

export type SnapshotTable = StateTable & {
  /** One table at a time. */
  readonly rows: () => AsyncIterable<StateRow>
}

type Source = {
  readonly engine: StateSnapshot['engine']
  steps(): Promise<readonly string[]>
  /** Empty for a table that there is not yet. */
  columns(table: string): Promise<readonly string[]>
  lastSequence(table: string): Promise<string | null>
  rows(table: string, columns: readonly string[]): AsyncIterable<StateRow>
  close(): Promise<void>
}

const rowsAtOnce = 500

function openFile(path: string): Source {
  const database = openDatabase(path)
  const ask = (text: string, ...parameters: readonly (string | bigint)[]) =>
    database.prepare(text).all(parameters) as readonly Readonly<Record<string, unknown>>[]
  // A write-ahead log keeps what this transaction sees, whoever writes meanwhile.
  database.exec('begin')
  return {
    engine: 'sqlite',
    steps: async () => {
      const known = ask("select 1 from sqlite_master where name = 'kysely_migration'")
      return known.length === 0 ? [] : ask('select name from kysely_migration order by name').map(nameOf)
    },
    columns: async (table) => ask(`select name from pragma_table_info('${table}')`).map(nameOf),
    lastSequence: async (table) => {
      const [found] = ask('select seq from sqlite_sequence where name = ?', table)
      return found === undefined ? null : textOf(found['seq'])
    },
    async *rows(table, columns) {
      const list = columns.map((column) => `"${column}"`).join(', ')
      const page = `select rowid as "rowid of it", ${list} from "${table}" where rowid > ? order by rowid limit ${rowsAtOnce}`
      for (let after = -(2n ** 63n); ;) {
        const rows = ask(page, after)
        for (const row of rows) {
          yield columns.map((column) => textOf(row[column]))
          after = BigInt(String(row['rowid of it']))
        }
        if (rows.length < rowsAtOnce) return
      }
    },
    close: async () => {
      database.exec('rollback')
      database.close()
    },
  }
}

async function openPostgres(url: string): Promise<Source> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // As the database writes them.
    types: { getTypeParser: () => (value: string | Buffer) => value },
  })
  client.on('error', () => {})
  const ask = async (text: string, ...parameters: readonly string[]) => {
    try {
      return (await client.query<Readonly<Record<string, unknown>>>(text, [...parameters])).rows
    } catch (error) {
      throw postgresError(error)
    }
  }
  await client.connect().catch((error: unknown) => {
    throw postgresError(error)
  })
  await ask('start transaction isolation level repeatable read read only')
  const inSchema = 'table_schema = current_schema() and table_name = $1'
  return {
    engine: 'postgresql',
    steps: async () => {
      const known = await ask(`select 1 from information_schema.tables where ${inSchema}`, 'kysely_migration')
      return known.length === 0 ? [] : (await ask('select name from kysely_migration order by name')).map(nameOf)
    },
    columns: async (table) => {
      const columns = 'select column_name as name from information_schema.columns'
      return (await ask(`${columns} where ${inSchema} order by ordinal_position`, table)).map(nameOf)
    },
    lastSequence: async (table) => {
      const numbered = `select column_name as name from information_schema.columns where ${inSchema} and is_identity = 'YES'`
      const [column] = (await ask(numbered, table)).map(nameOf)
      if (column === undefined) return null
      const [found] = await ask('select pg_sequence_last_value(pg_get_serial_sequence($1, $2)) as last', table, column)
      return textOf(found?.['last'])
    },
    async *rows(table, columns) {
      const list = columns.map((column) => `"${column}"`).join(', ')
      await ask(`declare rows no scroll cursor for select ${list} from "${table}"`)
      for (;;) {
        const rows = await ask(`fetch ${rowsAtOnce} from rows`)
        yield* rows.map((row) => columns.map((column) => textOf(row[column])))
        if (rows.length < rowsAtOnce) break
      }
      await ask('close rows')
    },
    close: () => client.end().catch(() => {}),
  }
}

function nameOf(row: Readonly<Record<string, unknown>>): string {
  return String(row['name'])
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  // Both engines give text, and SQLite integers.
  if (typeof value === 'string' || typeof value === 'bigint') return `${value}`
  throw new TypeError(`A ${typeof value} stands in no column of the state.`)
}

/** Every table of the state, each behind those that its rows refer to. The migrator's own are not among them: what they say is `steps`. */
export const stateTables = [
  'spending_session',
  'reservation',
  'reservation_budget',
  'journal',
  'idempotency',
  'operation',
  'rate_use',
  'rate_bucket',
  'claim',
  'pin',
  'block',
  'bar_chunk',
  'token_fact',
  'sighting_subject',
  'sighting',
  'signed_order',
  'pending_revocation',
  'memory',
  'watch',
  'watch_event',
  'task',
  'sign_in_state',
  'sign_in_nonce',
  'sign_in_key',
  'sign_in_revocation',
  'restored_copy',
  'leadership',
  'switch_state',
] as const satisfies readonly (keyof Schema)[]

/**
 * What a copy leaves out: it holds for minutes, and to bring it back would make a token or a nonce good that is not any more. That a state was
 * put back is said anew of each, and who writes is for the servers that run.
 */
export const passingTables: ReadonlySet<string> = new Set<keyof Schema>([
  'rate_bucket',
  'sign_in_nonce',
  'sign_in_key',
  'restored_copy',
  'leadership',
])

/** What servers that only read write as well, without the lease of the one that signs: it can be read again. */
export const readTables: ReadonlySet<string> = new Set<keyof Schema>(['bar_chunk', 'token_fact'])

/** The values of a row in the order of its columns, as text: both engines turn it back into what the column holds. */
export type StateRow = readonly (string | null)[]

/** What a copy says of a table beside its rows. */
export type StateTable = {
  readonly name: string
  readonly columns: readonly string[]
  /** The highest number that its rows have been given so far, also by rows that are gone; `null` where they have none. */
  readonly lastSequence: string | null
}

/** How many rows there are and which, whatever their order: two engines give the same rows in different ones. */
export type RowsDigest = { readonly rows: number; readonly digest: string }

/** Counts rows in, and says which they were. */
export function createRowsDigest(): { add(row: StateRow): void; read(): RowsDigest } {
  let sum = 0n
  let rows = 0
  return {
    add(row) {
      sum = BigInt.asUintN(256, sum + BigInt(`0x${hash('sha256', JSON.stringify(row))}`))
      rows += 1
    },
    read: () => ({ rows, digest: sum.toString(16).padStart(64, '0') }),
  }
}
