import { MAX_UINT128 } from '../integers/fixed-point.ts'
import { LpMathError } from '../lp-math-error.ts'
import { requireAmount, requireSqrtPrice } from '../sqrt-price/require-arguments.ts'

/**
 * Liquidity that `amount0` buys between two sqrt prices (Q64.96, either order), as the periphery contracts of v3 and v4 round it.
 * amount0 * (sqrtUpper * sqrtLower) / (sqrtUpper - sqrtLower). Source: v3 whitepaper eq. 6.30 solved for L; LiquidityAmounts.
 * @throws LpMathError `RANGE_EMPTY` for equal prices, `LIQUIDITY_OUT_OF_RANGE` above 128 bits, `AMOUNT_NEGATIVE`.
 */
export function getLiquidityForAmount0(sqrtPriceAX96: bigint, sqrtPriceBX96: bigint, amount0: bigint): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  requireSqrtPrice(lower)
  requireAmount(amount0)
  if (lower === upper) throw new LpMathError('RANGE_EMPTY', 'The two prices of a range differ.')
  // The contracts round the product of the prices first: one step less exact than the formula, and binding.
  const liquidity = (amount0 * ((lower * upper) >> 96n)) / (upper - lower)
  if (liquidity > MAX_UINT128) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'The amount buys more liquidity than 128 bits hold.')
  }
  return liquidity
}
