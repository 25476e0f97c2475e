/** A position's liquidity in its range at the pool's price (sqrt prices Q64.96, A and B in either order), and the slippage allowed. */
export type SlippageOptions = {
  sqrtPriceX96: bigint
  sqrtPriceAX96: bigint
  sqrtPriceBX96: bigint
  liquidity: bigint
  slippageBps: number
}
