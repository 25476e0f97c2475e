import { MAX_UINT128 } from '../integers/fixed-point.ts'
import { LpMathError } from '../lp-math-error.ts'
import { requireAmount, requireSqrtPrice } from '../sqrt-price/require-arguments.ts'

/**
 * Liquidity that `amount1` buys between two sqrt prices (Q64.96, either order), as the periphery contracts of v3 and v4 round it.
 * amount1 / (sqrtUpper - sqrtLower). Source: v3 whitepaper eq. 6.29 solved for L; LiquidityAmounts.
 * @throws LpMathError `RANGE_EMPTY` for equal prices, `LIQUIDITY_OUT_OF_RANGE` above 128 bits, `AMOUNT_NEGATIVE`.
 */
export function getLiquidityForAmount1(sqrtPriceAX96: bigint, sqrtPriceBX96: bigint, amount1: bigint): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  requireSqrtPrice(lower)
  requireAmount(amount1)
  if (lower === upper) throw new LpMathError('RANGE_EMPTY', 'The two prices of a range differ.')
  const liquidity = (amount1 << 96n) / (upper - lower)
  if (liquidity > MAX_UINT128) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'The amount buys more liquidity than 128 bits hold.')
  }
  return liquidity
}
