import { type PriceBounds, requirePrice, requirePriceBounds } from './price-model.ts'

/**
 * What a position of liquidity 1 holds at a price: token0 and token1, in the units in which the price counts.
 * Source: Uniswap v3 whitepaper, equations 6.29 and 6.30; written without differences of nearly equal numbers, so that ranges of one tick keep their digits.
 */
export function positionAmounts({ lower, upper }: PriceBounds, price: number): { amount0: number; amount1: number } {
  const [rootLower, rootUpper] = [Math.sqrt(lower), Math.sqrt(upper)]
  const held = price < lower ? lower : price > upper ? upper : price
  const root = Math.sqrt(held)
  return {
    amount0: upper === Number.POSITIVE_INFINITY ? 1 / root : (upper - held) / ((rootUpper + root) * rootUpper * root),
    amount1: (held - lower) / (root + rootLower),
  }
}

/**
 * Value in token1 of a position of liquidity 1 at a price.
 * Source: Uniswap v3 whitepaper, equations 6.29 and 6.30.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function positionValue(bounds: PriceBounds, price: number): number {
  requirePriceBounds(bounds)
  requirePrice(price, 'price')
  const { amount0, amount1 } = positionAmounts(bounds, price)
  return amount0 * price + amount1
}
