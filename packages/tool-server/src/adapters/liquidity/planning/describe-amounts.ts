import { formatAmount } from '@svc/lp-math'
import type { PaidSide } from './plan-payment.ts'

/**
 * `1.5 WETH and 4500 USDC`, leaving out what is zero: for the sentence a person reads before approving. A token that is
 * not listed is named by its address, because its symbol is whatever its maker wrote.
 */
export function describeAmounts(sides: readonly PaidSide[]): string {
  const parts = sides
    .filter((side) => side.amount > 0n)
    .map(({ token, amount }) => {
      const name = token.listed || token.isNative ? token.symbol : token.address
      return `${formatAmount(amount, token.decimals)} ${name}`
    })
  return parts.length === 0 ? 'nothing' : parts.join(' and ')
}
