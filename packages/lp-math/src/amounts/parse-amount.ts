import { MAX_UINT256 } from '../integers/fixed-point.ts'
import { tenToDecimals } from '../prices/ten-to-decimals.ts'
import { AmountError, type AmountErrorReason } from './amount-error.ts'

/**
 * Reads an amount in whole tokens as the token's smallest units, exactly: `^(0|[1-9]\d{0,77})(\.\d{1,decimals})?$`.
 * Nothing is rounded, trimmed or normalised; what does not fit 256 bits is refused.
 * @throws AmountError with a `reason` and the accepted form; LpMathError `DECIMALS_OUT_OF_RANGE`.
 */
export function parseAmount(text: string, decimals: number): bigint {
  const unit = tenToDecimals(decimals)
  const match = AMOUNT_FORM.exec(text)
  const fraction = match?.[2] ?? ''
  const reason = match === null ? reasonAgainst(text) : fraction.length > decimals ? 'too-many-decimals' : null
  if (reason !== null) throw new AmountError(reason, acceptedForm(decimals))
  const amount = BigInt(match?.[1] ?? '0') * unit + BigInt(fraction.padEnd(decimals, '0') || '0')
  if (amount > MAX_UINT256) throw new AmountError('too-large', acceptedForm(decimals))
  return amount
}

const AMOUNT_FORM = /^(0|[1-9]\d{0,77})(?:\.(\d+))?$/

function reasonAgainst(text: string): AmountErrorReason {
  if (text === '') return 'empty'
  if (/\s/u.test(text)) return 'space'
  if (!/^[\x21-\x7e]+$/.test(text)) return 'not-ascii'
  if (/^[+-]/.test(text)) return 'sign'
  if (/^\d+(\.\d*)?[eE]/.test(text)) return 'exponent'
  if (/^0\d/.test(text)) return 'leading-zero'
  if (/^\d{79,}(\.\d+)?$/.test(text)) return 'too-large'
  return 'malformed'
}

function acceptedForm(decimals: number): string {
  return decimals === 0
    ? 'a plain whole number such as "12"'
    : `a plain decimal such as "12.5" with at most ${decimals} digit${decimals === 1 ? '' : 's'} after the point`
}
