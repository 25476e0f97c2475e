import { UsageError } from '../usage-error.ts'

/** A plain decimal number in [min, max] out of a flag's text; `undefined` stays. Throws `UsageError` naming the flag. */
export function parseNumber(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,15}(\.\d{1,18})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw new UsageError(`${flag} takes a number from ${min} to ${max}, not "${text.slice(0, 40)}"`)
  }
  return value
}
