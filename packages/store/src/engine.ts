import { type CompiledQuery, type DialectAdapter, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Leases } from './leases.ts'
import type { Schema } from './schema.ts'

/** What the tables stand on: the same queries run over embedded SQLite and over PostgreSQL. */
export type Engine = {
  /** Reads what is committed. Writes nothing. */
  read<Result>(work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result>
  /**
   * Does work in one transaction that has ended on disk when this resolves. Works under the same lock run one after the
   * other, each on what the one before committed, however many connections and processes there are.
   */
  write<Result>(
    lock: Lock,
    work: (trx: Transaction<Schema>) => Promise<Result>,
    durability?: Durability,
  ): Promise<Result>
  /**
   * The same of work that is one statement, which is a transaction by itself. It is done again, though it may have been done, where a
   * connection turned out to be cut off; and it is on disk when this resolves unless the database is set to answer before. It is
   * not fenced: for what servers share, whoever leads.
   */
  writeStatement<Result>(work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result>
  readonly leases: Leases
  /** Ends with the leases that are held. */
  close(): Promise<void>
}

/**
 * When a write is on disk: as soon as it resolves, which is the default, or together with the next one that is so, at the
 * latest. The second is for what would be found out or done again after the machine lost its power: everybody sees it at
 * once, and it outlives the process in any case. An engine may take `with-next` for `at-once`.
 */
export type Durability = 'at-once' | 'with-next'

/** What is serialised with each other; an engine may serialise more. `spend` covers the ledger and the journal. */
export type Lock =
  | 'spend'
  | 'idempotency'
  | 'operations'
  | 'rate limits'
  | 'claims'
  | 'pins'
  | 'bars'
  | 'token facts'
  | 'sightings'
  | 'memory'
  | 'watches'
  | 'tasks'
  | 'sign-ins'
  | 'leadership'
  | 'switches'
  | 'pause'

/**
 * Makes a parameter of a query one that both engines store as it is, or throws a `TypeError`: undefined and NaN would
 * become null, a boolean would kill the process, an integer number would be stored as a float, and text would end at its
 * first NUL.
 */
export function toBindable(value: unknown): string | number | bigint | null {
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'bigint' && value === BigInt.asIntN(64, value)) return value
  if (typeof value === 'string' && !value.includes('\0')) return value
  if (value === null) return null
  throw new TypeError(`A ${typeof value} of this size or kind cannot be stored.`)
}

/**
 * A query that is built and compiled when it runs first, and from then on runs with other values: to build one takes the
 * builder several times as long as it takes SQLite to answer it, and a write asks dozens. Each engine has its own text of it.
 * `build` names every value that varies, and gives the same query each time.
 */
export function preparedQuery<Values extends Readonly<Record<string, unknown>>, Row>(
  build: BuildQuery<Values, Row>,
): PreparedQuery<Values, readonly Row[]> {
  const bind = compiledOnce(build)
  return async (db, values) => {
    const { query, atOnce } = bind(db, values)
    const rows = atOnce?.all(query.sql, query.parameters) as readonly Row[] | undefined
    return rows ?? (await db.executeQuery<Row>(query)).rows
  }
}

/**
 * The same of a question that is answered by no row nearly always, which an engine may have for less, and then pays twice for an answer that
 * has rows. It changes nothing.
 */
export function preparedSearch<Values extends Readonly<Record<string, unknown>>, Row>(
  build: BuildQuery<Values, Row>,
): PreparedQuery<Values, readonly Row[]> {
  const bind = compiledOnce(build)
  return async (db, values) => {
    const { query, atOnce } = bind(db, values)
    if (atOnce === undefined) return (await db.executeQuery<Row>(query)).rows
    if (atOnce.first(query.sql, query.parameters) === undefined) return []
    return atOnce.all(query.sql, query.parameters) as readonly Row[]
  }
}

/** The same of a query that finds one row at most, whose row an engine may have for less. */
export function preparedRow<Values extends Readonly<Record<string, unknown>>, Row>(
  build: BuildQuery<Values, Row>,
): PreparedQuery<Values, Row | undefined> {
  const bind = compiledOnce(build)
  return async (db, values) => {
    const { query, atOnce } = bind(db, values)
    if (atOnce !== undefined) return atOnce.first(query.sql, query.parameters) as Row | undefined
    return (await db.executeQuery<Row>(query)).rows[0]
  }
}

function compiledOnce<Values extends Readonly<Record<string, unknown>>, Row>(build: BuildQuery<Values, Row>) {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  return (db: Kysely<Schema>, values: Values) => {
    const adapter: DialectAdapter & { readonly [runAtOnce]?: RunsAtOnce } = db.getExecutor().adapter
    const query = compiled.get(adapter) ?? build(db, (name) => sql`${{ [valueNamed]: name }}`).compile()
    compiled.set(adapter, query)
    const parameters = query.parameters.map((given) => (isNamed(given) ? values[given[valueNamed]] : given))
    return { query: { ...query, parameters }, atOnce: adapter[runAtOnce] }
  }
}

type BuildQuery<Values, Row> = (db: Kysely<Schema>, value: ValueOf<Values>) => { compile(): CompiledQuery<Row> }

/**
 * What the adapter of an engine may say: how a statement runs where it stands, past the builder, which takes several times as long to
 * pass one on as SQLite takes to run it. For an engine whose works take turns on its one connection.
 */
export const runAtOnce = Symbol('run at once')

export type RunsAtOnce = {
  all(text: string, parameters: readonly unknown[]): readonly unknown[]
  /** Of a statement that has one row at most; `undefined` where it has none. */
  first(text: string, parameters: readonly unknown[]): unknown
}

export type PreparedQuery<Values, Answer> = (db: Kysely<Schema>, values: Values) => Promise<Answer>

/** Stands in a query for a value that is given when it runs. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>

const valueNamed = Symbol('value')

function isNamed(parameter: unknown): parameter is { readonly [valueNamed]: string } {
  return typeof parameter === 'object' && parameter !== null && valueNamed in parameter
}
