import { sql, type CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * A query that is built and compiled when it runs first, and from then on runs with other values: to build one takes the
 * builder several times as long as it takes SQLite to answer it, and a write asks dozens. It belongs to the engine it ran
 * on first. `build` names every value that varies, and gives the same query each time.
 */
export function preparedQuery<Values extends Readonly<Record<string, unknown>>, Row>(
  build: (db: Kysely<Schema>, value: ValueOf<Values>) => { compile(): CompiledQuery<Row> },
): PreparedQuery<Values, Row> {
  let compiled: CompiledQuery<Row> | null = null
  return async (db, values) => {
    compiled ??= build(db, (name) => sql`${{ [valueNamed]: name }}`).compile()
    const parameters = compiled.parameters.map((given) => (isNamed(given) ? values[given[valueNamed]] : given))
    return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
  }
}

export type PreparedQuery<Values, Row> = (db: Kysely<Schema>, values: Values) => Promise<readonly Row[]>

/** Stands in a query for a value that is given when it runs. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>

const valueNamed = Symbol('value')

function isNamed(parameter: unknown): parameter is { readonly [valueNamed]: string } {
  return typeof parameter === 'object' && parameter !== null && valueNamed in parameter
}
