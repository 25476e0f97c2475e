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
