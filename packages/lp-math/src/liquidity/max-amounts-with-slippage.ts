import { type Amounts, getAmountsForLiquidity } from './get-amounts-for-liquidity.ts'
import type { SlippageOptions } from './slippage-options.ts'
import { sqrtPricesAfterSlippage } from './sqrt-prices-after-slippage.ts'

/**
 * The `amount0Max` and `amount1Max` (smallest units) of a v4 mint or increase, which fixes the liquidity: what it costs at the
 * dearest price within the slippage, token0 at the lower price and token1 at the upper, rounded up.
 * A mint at any price within the slippage costs at most these.
 * @throws LpMathError `SLIPPAGE_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`.
 */
export function maxAmountsWithSlippage(options: SlippageOptions): Amounts {
  const { sqrtPriceAX96, sqrtPriceBX96, liquidity } = options
  const dearest = sqrtPricesAfterSlippage(options.sqrtPriceX96, options.slippageBps)
  return {
    amount0: getAmountsForLiquidity(dearest.lower, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount0,
    amount1: getAmountsForLiquidity(dearest.upper, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount1,
  }
}
