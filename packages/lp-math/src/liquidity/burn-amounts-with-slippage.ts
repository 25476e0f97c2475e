import { type Amounts, getAmountsForLiquidity } from './get-amounts-for-liquidity.ts'
import type { SlippageOptions } from './slippage-options.ts'
import { sqrtPricesAfterSlippage } from './sqrt-prices-after-slippage.ts'

/**
 * The least a removal of this liquidity must give (smallest units), v3 and v4 alike: token0 at the upper and token1 at the lower
 * price within the slippage, rounded down. A removal at any price within the slippage gives at least these.
 * @throws LpMathError `SLIPPAGE_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`.
 */
export function burnAmountsWithSlippage(options: SlippageOptions): Amounts {
  const { sqrtPriceAX96, sqrtPriceBX96, liquidity } = options
  const worst = sqrtPricesAfterSlippage(options.sqrtPriceX96, options.slippageBps)
  return {
    amount0: getAmountsForLiquidity(worst.upper, sqrtPriceAX96, sqrtPriceBX96, liquidity, false).amount0,
    amount1: getAmountsForLiquidity(worst.lower, sqrtPriceAX96, sqrtPriceBX96, liquidity, false).amount1,
  }
}
