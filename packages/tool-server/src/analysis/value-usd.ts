import { formatAmount } from '@svc/lp-math'
import type { Token, UsdPrice } from '@svc/amm'

/**
 * Worth of an amount (smallest units) in US dollars, rounded to millionths; null without a price. For reports: the safety
 * engine counts in integers of its own.
 */
export function valueUsd(amount: bigint, token: Token, price: UsdPrice | null): number | null {
  if (price === null) return null
  return Math.round(Number(formatAmount(amount, token.decimals)) * price.usd * 1e6) / 1e6
}

/** Sum of dollar values, rounded to millionths; null as soon as one of them is unknown. */
export function sumUsd(...values: readonly (number | null)[]): number | null {
  let sum = 0
  for (const value of values) {
    if (value === null) return null
    sum += value
  }
  return Math.round(sum * 1e6) / 1e6
}
