import type { TokenQuantity } from '../../intent.ts'
import type { PaidSide } from './plan-payment.ts'

/** What must arrive at least, leaving out tokens of which nothing must. */
export function leastReceipts(sides: readonly PaidSide[]): TokenQuantity[] {
  return sides.filter((side) => side.amount > 0n).map(({ token, amount }) => ({ token: token.address, amount }))
}
