import { UsageError } from '../../usage-error.ts'

/** A time out of a flag's text, in unix seconds; `undefined` stays. Throws `UsageError` naming the flag. */
export function parseTime(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return at / 1000
  throw new UsageError(`${flag} takes a time such as 2026-01-31 or 2026-01-31T12:00:00Z, not "${text.slice(0, 40)}"`)
}
