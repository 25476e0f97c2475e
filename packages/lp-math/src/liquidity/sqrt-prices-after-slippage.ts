import { integerSqrt } from '../integers/integer-sqrt.ts'
import { LpMathError } from '../lp-math-error.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/tick-bounds.ts'

/**
 * The sqrt prices (Q64.96) at which the price itself lies `slippageBps` below and above the pool's, kept within what a swap can reach.
 * @throws LpMathError `SLIPPAGE_OUT_OF_RANGE` unless slippageBps is an integer within 0 and 10000.
 */
export function sqrtPricesAfterSlippage(sqrtPriceX96: bigint, slippageBps: number): { lower: bigint; upper: bigint } {
  if (!Number.isInteger(slippageBps) || slippageBps < 0 || slippageBps > 10_000) {
    throw new LpMathError(
      'SLIPPAGE_OUT_OF_RANGE',
      'A slippage is an integer number of basis points within 0 and 10000.',
    )
  }
  const square = sqrtPriceX96 * sqrtPriceX96
  const lower = integerSqrt((square * BigInt(10_000 - slippageBps)) / 10_000n)
  const upper = integerSqrt((square * BigInt(10_000 + slippageBps)) / 10_000n)
  return {
    lower: lower <= MIN_SQRT_PRICE ? MIN_SQRT_PRICE + 1n : lower,
    upper: upper >= MAX_SQRT_PRICE ? MAX_SQRT_PRICE - 1n : upper,
  }
}
