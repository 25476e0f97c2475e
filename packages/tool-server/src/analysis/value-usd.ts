import { formatAmount } from '@svc/lp-math'
import type { Quote, Token, UsdPrice } from '@svc/amm'

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

/**
 * How much worse than the trusted price a quote is, in hundredths of a percent, the fees of its pools left out; positive is
 * worse. `null` where a token has no named source that says anything: the mid price of the route is all there is then.
 */
export function trustedImpactBps(
  { amountIn, amountOut, route, parts }: Pick<Quote, 'amountIn' | 'amountOut' | 'route' | 'parts'>,
  [tokenIn, priceIn]: PricedSide,
  [tokenOut, priceOut]: PricedSide,
): number | null {
  const [bandIn, bandOut] = [priceIn?.band ?? null, priceOut?.band ?? null]
  if (bandIn === null || bandOut === null) return null
  const paid = amountIn * bandIn.midE18 * 10n ** BigInt(tokenOut.decimals)
  const bought = amountOut * bandOut.midE18 * 10n ** BigInt(tokenIn.decimals)
  if (paid === 0n) return null
  const shares = parts ?? [{ amountIn, route }]
  const feeBps = shares.reduce(
    (sum, part) => sum + feeBpsOf(part.route) * (Number(part.amountIn) / Number(amountIn)),
    0,
  )
  return Math.round(Number(((paid - bought) * 10_000n) / paid) - feeBps)
}

/** What the pools of a route take one after the other, in hundredths of a percent. */
export function feeBpsOf(route: Quote['route']): number {
  return route.reduce((sum, { pool }) => sum + pool.fee / 100, 0)
}

type PricedSide = readonly [Token, UsdPrice | null]
