import { formatAmount } from '@svc/lp-math'
import { shortAmount } from '../../short-amount.ts'
import { tokenLabel } from '../../token-label.ts'
import type { PaidSide } from './plan-payment.ts'

/**
 * `1.5 WETH and 4500 USDC`, leaving out what is zero: for the sentence a person reads before approving. To six digits; the bounds of
 * a plan say it exactly. What leaves is rounded `up`, so that no more of it leaves than was said.
 */
export function describeAmounts(sides: readonly PaidSide[], rounding: 'up' | 'nearest'): string {
  const parts = sides
    .filter((side) => side.amount > 0n)
    .map(({ token, amount }) => `${shortAmount(formatAmount(amount, token.decimals), rounding)} ${tokenLabel(token)}`)
  return parts.length === 0 ? 'nothing' : parts.join(' and ')
}
