import { LpMathError } from '../lp-math-error.ts'

/**
 * Reads a positive price as an exact fraction: a finite number (its shortest decimal form is meant), or a plain decimal
 * string without sign, exponent or spaces, of at most 78 digits before and 120 after the point.
 * @throws LpMathError `PRICE_MALFORMED` for other text or a number that is not finite, `PRICE_OUT_OF_RANGE` for 0 or less.
 */
export function parsePositiveDecimal(value: number | string): Fraction {
  const match = typeof value === 'number' ? NUMBER_FORM.exec(String(value)) : DECIMAL_FORM.exec(value)
  if (match === null) throw malformed(value)
  const [, whole = '', decimals = '', exponent = '0'] = match
  const digits = BigInt(whole + decimals)
  if (digits === 0n) throw outOfRange()
  const scale = Number(exponent) - decimals.length
  return scale >= 0
    ? { numerator: digits * 10n ** BigInt(scale), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-scale) }
}

export type Fraction = { numerator: bigint; denominator: bigint }

const NUMBER_FORM = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/
const DECIMAL_FORM = /^(0|[1-9]\d{0,77})(?:\.(\d{1,120}))?$/

function malformed(value: number | string): LpMathError {
  if (typeof value === 'number' && value < 0) return outOfRange()
  return new LpMathError('PRICE_MALFORMED', 'A price is a finite number or a plain decimal string such as "1234.5".')
}

function outOfRange(): LpMathError {
  return new LpMathError('PRICE_OUT_OF_RANGE', 'A price is greater than 0.')
}
