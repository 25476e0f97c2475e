import type * as z from 'zod'

/** A member that docs/analytics.md or a description beside it names and the listed schemas, for which every client pays, leave out. */
export function documented<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ unlisted: true })
}
