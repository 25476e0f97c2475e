/** The members of an object by their names, each a JSON Schema; none of anything else. */
export function members(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : {}
  return properties as Readonly<Record<string, unknown>>
}
