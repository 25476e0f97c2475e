import { getLiquidityForAmount0 } from './get-liquidity-for-amount0.ts'
import { getLiquidityForAmount1 } from './get-liquidity-for-amount1.ts'

/**
 * Liquidity a mint gives for at most these amounts in the range A to B (sqrt prices Q64.96, either order) at the pool's price.
 * To the wei what v3's NonfungiblePositionManager and v4's periphery library compute, reverts included: in range, both sides
 * must fit 128 bits although only the smaller counts. Source: LiquidityAmounts of v3-periphery and v4-periphery.
 * @throws LpMathError `RANGE_EMPTY`, `LIQUIDITY_OUT_OF_RANGE`, `AMOUNT_NEGATIVE`.
 */
export function getLiquidityForAmounts(
  sqrtPriceX96: bigint,
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  amount0: bigint,
  amount1: bigint,
): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  if (sqrtPriceX96 <= lower) return getLiquidityForAmount0(lower, upper, amount0)
  if (sqrtPriceX96 >= upper) return getLiquidityForAmount1(lower, upper, amount1)
  const liquidity0 = getLiquidityForAmount0(sqrtPriceX96, upper, amount0)
  const liquidity1 = getLiquidityForAmount1(lower, sqrtPriceX96, amount1)
  return liquidity0 < liquidity1 ? liquidity0 : liquidity1
}
