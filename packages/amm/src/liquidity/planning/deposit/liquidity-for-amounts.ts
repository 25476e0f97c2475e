import { type Amounts, getLiquidityForAmounts, LpMathError, sqrtPricesAfterSlippage } from '@svc/lp-math'

/**
 * The liquidity that v3 gives for fixed amounts at the pool's price, and the least that it gives at any price within the
 * slippage. Where the range takes one token alone, the pool gives the same at every price or refuses.
 *
 * @throws LpMathError `LIQUIDITY_OUT_OF_RANGE` where the pool cannot hold what the amounts buy.
 */
export function liquidityForAmounts({ bounds, amount0, amount1, slippageBps }: FixedAmounts): {
  readonly liquidity: bigint
  readonly minLiquidity: bigint
} {
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = bounds
  const at = (price: bigint) => getLiquidityForAmounts(price, sqrtPriceAX96, sqrtPriceBX96, amount0, amount1)
  const liquidity = at(sqrtPriceX96)
  if (sqrtPriceX96 <= sqrtPriceAX96 || sqrtPriceX96 >= sqrtPriceBX96) return { liquidity, minLiquidity: liquidity }
  const worst = sqrtPricesAfterSlippage(sqrtPriceX96, slippageBps)
  const atEnds = [worst.lower, worst.upper].map((price) => unlessRefused(() => at(price)) ?? liquidity)
  return { liquidity, minLiquidity: atEnds.reduce((least, one) => (one < least ? one : least), liquidity) }
}

export type FixedAmounts = Amounts & { readonly bounds: RangeBounds; readonly slippageBps: number }

/** A pool's price and a range, as sqrt prices Q64.96. */
export type RangeBounds = {
  readonly sqrtPriceX96: bigint
  readonly sqrtPriceAX96: bigint
  readonly sqrtPriceBX96: bigint
}

/** Close to the end of a range one side alone can stand for more liquidity than a pool takes: it refuses the deposit. */
function unlessRefused(liquidity: () => bigint): bigint | null {
  try {
    return liquidity()
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}
