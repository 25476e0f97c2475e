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

/** The fee of a pool in millionths, written so or in percent: 500 or 0.05%. Throws `UsageError`; `undefined` stays. */
export function parseFee(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, whole, percent] = /^(?:(\d{1,7})|(\d{1,2}(?:\.\d{1,4})?) ?%)$/.exec(text) ?? []
  const pips = whole === undefined ? Math.round(Number(percent ?? Number.NaN) * 10_000) : Number(whole)
  if (!(pips >= 1 && pips <= 999_999)) {
    throw new UsageError(
      `--fee takes millionths from 1 to 999999, or percent such as 0.05%, not "${text.slice(0, 40)}"`,
    )
  }
  return pips
}
