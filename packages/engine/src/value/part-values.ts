/** Members of a part of calldata by their kind. They throw `TypeError` for what is none of it. */

export function uintIn(value: unknown): bigint {
  if (typeof value !== 'bigint') throw new TypeError('an amount of the calldata is no number')
  return value
}

/** Lower case. */
export function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a member of the calldata is no text')
  return value.toLowerCase()
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError('a member of the calldata is no tuple')
  return value as Readonly<Record<string, unknown>>
}

export function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordIn) : []
}
