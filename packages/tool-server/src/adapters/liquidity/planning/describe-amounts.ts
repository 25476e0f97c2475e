import { formatAmount } from '@svc/lp-math'
import { shortAmount } from '../../../short-amount.ts'
import { tokenLabel } from '../../../token-label.ts'
import type { PaidSide } from './plan-payment.ts'

/**
 * `1.5 WETH and 4500 USDC`, leaving out what is zero: for the sentence a person reads before approving. To six digits; the bounds of
 * a plan say it exactly.
 */
export function describeAmounts(sides: readonly PaidSide[]): string {
  const parts = sides
    .filter((side) => side.amount > 0n)
    .map(({ token, amount }) => `${shortAmount(formatAmount(amount, token.decimals), 'nearest')} ${tokenLabel(token)}`)
  return parts.length === 0 ? 'nothing' : parts.join(' and ')
}
