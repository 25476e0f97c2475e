import { getAmount0Delta } from '../sqrt-price/get-amount0-delta.ts'
import { getAmount1Delta } from '../sqrt-price/get-amount1-delta.ts'

/**
 * Amounts (smallest units) a liquidity stands for in the range A to B (sqrt prices Q64.96, either order) at the pool's price:
 * rounded up they are what a mint pays, rounded down what a burn gives, to the wei.
 * Source: v3 whitepaper eq. 6.29, 6.30; `_modifyPosition` of v3-core, `modifyLiquidity` of v4-core.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE` or `LIQUIDITY_OUT_OF_RANGE`.
 */
export function getAmountsForLiquidity(
  sqrtPriceX96: bigint,
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  roundUp: boolean,
): Amounts {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  const inside = sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96
  return {
    amount0: getAmount0Delta(inside, upper, liquidity, roundUp),
    amount1: getAmount1Delta(lower, inside, liquidity, roundUp),
  }
}

export type Amounts = { amount0: bigint; amount1: bigint }
