import { formatAmount } from '@svc/lp-math'
import type { PaidSide } from './plan-payment.ts'
import type { Token } from '../../ports.ts'

/**
 * `1.5 WETH and 4500 USDC`, leaving out what is zero: for the sentence a person reads before approving. To six digits; the bounds of
 * a plan say it exactly. What leaves is rounded `up`, so that no more of it leaves than was said, or said `exact` where a caller named it.
 */
export function describeAmounts(sides: readonly PaidSide[], rounding: 'up' | 'nearest' | 'exact'): string {
  const text = (decimal: string) => (rounding === 'exact' ? decimal : shortAmount(decimal, rounding))
  const parts = sides
    .filter((side) => side.amount > 0n)
    .map(({ token, amount }) => `${text(formatAmount(amount, token.decimals))} ${tokenLabel(token)}`)
  return parts.length === 0 ? 'nothing' : parts.join(' and ')
}

/** Both sides in the caller's order of tokens: that of the plan's prices. */
export function callerSides<Side>([one, other]: readonly [Side, Side], isInverted: boolean): readonly [Side, Side] {
  return isInverted ? [other, one] : [one, other]
}

/**
 * A decimal text to six digits that count, whole ones always all. Rounded `up` where it bounds what leaves and `down` where it
 * bounds what arrives, so that the short form never promises more than the long one.
 */
export function shortAmount(decimal: string, rounding: 'up' | 'down' | 'nearest'): string {
  const parts = /^(-?)(\d+)\.(\d+)$/.exec(decimal)
  if (parts === null) return decimal
  const [, sign = '', whole = '', fraction = ''] = parts
  const leading = /^0*$/.test(whole) ? (/^0*/.exec(fraction)?.[0].length ?? 0) : -whole.length
  const places = Math.max(0, digitsThatCount + leading)
  if (fraction.length <= places) return decimal
  const kept = BigInt(whole + fraction.slice(0, places))
  const cut = fraction.slice(places)
  const isMore = rounding === 'up' ? /[1-9]/.test(cut) : rounding === 'nearest' && cut >= '5'
  const digits = `${isMore ? kept + 1n : kept}`.padStart(places + 1, '0')
  const rest = digits.slice(digits.length - places).replace(/0+$/, '')
  const shown = places === 0 ? digits : digits.slice(0, digits.length - places)
  return `${sign}${shown}${places === 0 || rest === '' ? '' : `.${rest}`}`
}

/** How a token is called in our own sentences: text of an unlisted one is data and never becomes prose. */
export function tokenLabel(token: Token): string {
  return token.listed || token.isNative ? token.symbol : token.address
}

const digitsThatCount = 6
