import { formatAmount } from '@svc/lp-math'

/** Millionths of a dollar as decimal dollars. */
export function usdText(micros: bigint): string {
  return formatAmount(micros, 6)
}
