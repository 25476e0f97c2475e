import {
  getTickAtSqrtPrice,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
  priceFromSqrtPrice,
  sqrtPricesAfterSlippage,
} from '@svc/lp-math'
import type { IntentDeposit } from '../../intent.ts'
import type { ErrorDetail } from '../../tool-error.ts'

/**
 * What to say of a pool's price (sqrt, Q64.96; `null` where it has none) that lies beyond the slippage of the one at which
 * a deposit was planned; nothing where it lies within. Compared in integers; the prices beside it are for reading, in the
 * caller's order and in whole tokens, or in smallest units where the decimals are not known.
 */
export function priceDrift(
  planned: Pick<IntentDeposit, 'pool' | 'sqrtPriceX96' | 'isInverted'>,
  sqrtPriceX96: bigint | null,
  slippageBps: number,
  decimals: PairDecimals | null,
): readonly ErrorDetail[] {
  const { lower, upper } = sqrtPricesAfterSlippage(planned.sqrtPriceX96, slippageBps)
  if (sqrtPriceX96 !== null && lower <= sqrtPriceX96 && sqrtPriceX96 <= upper) return []
  const [before, now] = [planned.sqrtPriceX96, sqrtPriceX96].map(possiblePrice)
  const text = (price: bigint | null | undefined) =>
    price ? `${callerPriceOf(price, planned.isInverted, decimals ?? [0, 0])}` : 'none'
  return [
    {
      message: 'The price of the pool is beyond the slippage of what was planned.',
      pool: planned.pool,
      unit: decimals === null ? 'smallest units of token1 for one of token0' : 'token1 for one token0',
      planned: text(before),
      now: text(now),
      plannedTick: before ? getTickAtSqrtPrice(before) : null,
      nowTick: now ? getTickAtSqrtPrice(now) : null,
      slippageBps,
    },
  ]
}

/** `null` for what no pool can have as its price. */
function possiblePrice(sqrtPriceX96: bigint | null): bigint | null {
  const isPossible = sqrtPriceX96 !== null && MIN_SQRT_PRICE <= sqrtPriceX96 && sqrtPriceX96 < MAX_SQRT_PRICE
  return isPossible ? sqrtPriceX96 : null
}

/** Of the pool's token0 and token1. */
export type PairDecimals = readonly [number, number]

/** A price in whole tokens, the caller's token1 per token0, to six digits. */
export function callerPriceOf(sqrtPriceX96: bigint, isInverted: boolean, [decimals0, decimals1]: PairDecimals): number {
  const price = priceFromSqrtPrice(sqrtPriceX96, decimals0, decimals1)
  return Number((isInverted ? 1 / price : price).toPrecision(6))
}
