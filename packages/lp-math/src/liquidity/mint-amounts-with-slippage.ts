import { type Amounts, getAmountsForLiquidity } from './get-amounts-for-liquidity.ts'
import { getLiquidityForAmounts } from './get-liquidity-for-amounts.ts'
import type { SlippageOptions } from './slippage-options.ts'
import { sqrtPricesAfterSlippage } from './sqrt-prices-after-slippage.ts'

/**
 * The `amount0Min` and `amount1Min` (smallest units) of a v3 mint or increase: what the liquidity takes at the worst price within
 * the slippage, token0 at the upper price and token1 at the lower. The liquidity is first cut to what the contract gives for
 * the desired amounts (its rounded-up amounts at the pool's price). Inside a narrow range they allow less movement than
 * slippageBps, never more, because the contract fixes the desired amounts and not the liquidity.
 * @throws LpMathError `SLIPPAGE_OUT_OF_RANGE`, `RANGE_EMPTY`, `LIQUIDITY_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`.
 */
export function mintAmountsWithSlippage(options: SlippageOptions): Amounts {
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = options
  const worst = sqrtPricesAfterSlippage(sqrtPriceX96, options.slippageBps)
  const desired = getAmountsForLiquidity(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, options.liquidity, true)
  const liquidity = getLiquidityForAmounts(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, desired.amount0, desired.amount1)
  return {
    amount0: getAmountsForLiquidity(worst.upper, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount0,
    amount1: getAmountsForLiquidity(worst.lower, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount1,
  }
}
