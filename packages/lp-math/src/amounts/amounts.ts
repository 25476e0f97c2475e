import { divRoundingUp, MAX_UINT256 } from '../integers/integers.ts'
import { parsePositiveDecimal, tenToDecimals } from '../prices/prices.ts'
import { requireAmount } from '../sqrt-price/sqrt-price.ts'
/** Thrown when a text is no amount; `reason` says why and `accepted` what would have been taken. The text itself is not repeated. */
export class AmountError extends Error {
  override readonly name = 'AmountError'
  readonly reason: AmountErrorReason
  readonly accepted: string

  constructor(reason: AmountErrorReason, accepted: string) {
    super(`Not an amount (${reason}): expected ${accepted}.`)
    this.reason = reason
    this.accepted = accepted
  }
}

/** Why a text is no amount of a token, or an amount cannot be shown. */
export type AmountErrorReason =
  | 'empty'
  | 'space'
  | 'sign'
  | 'exponent'
  | 'not-ascii'
  | 'leading-zero'
  | 'too-many-decimals'
  | 'too-large'
  | 'malformed'

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

/**
 * Writes an amount in the token's smallest units as whole tokens: exact, without trailing zeros, a leading minus for a negative one.
 * @throws LpMathError `DECIMALS_OUT_OF_RANGE`.
 */
export function formatAmount(amount: bigint, decimals: number): string {
  const unit = tenToDecimals(decimals)
  const magnitude = amount < 0n ? -amount : amount
  const fraction = decimals === 0 ? '' : (magnitude % unit).toString().padStart(decimals, '0').replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${magnitude / unit}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * Worth of an amount (smallest units) in millionths of a dollar, rounded up so that a spend is never counted too low.
 * `priceUsd` is dollars per whole token, a number or a plain decimal string, taken exactly.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `DECIMALS_OUT_OF_RANGE`, `PRICE_MALFORMED`, `PRICE_OUT_OF_RANGE`.
 */
export function usdMicrosFromAmount(amount: bigint, decimals: number, priceUsd: number | string): bigint {
  requireAmount(amount)
  const { numerator, denominator } = parsePositiveDecimal(priceUsd)
  return divRoundingUp(amount * numerator * 1_000_000n, denominator * tenToDecimals(decimals))
}
