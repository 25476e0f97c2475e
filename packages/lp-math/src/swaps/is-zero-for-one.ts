import { LpMathError } from '../lp-math-error.ts'

/**
 * Whether a Swap log, seen from the pool, took token0 in: known by the price, and where the swap was too small to move it, by the signs.
 * A swap through a stretch without liquidity moves the price for nothing.
 * @throws LpMathError `SWAP_LOGS_INCONSISTENT` when the signs contradict the price.
 */
export function isZeroForOne(
  swap: { amount0: bigint; amount1: bigint; sqrtPriceX96After: bigint },
  sqrtPriceX96Before: bigint,
): boolean {
  const { amount0, amount1, sqrtPriceX96After } = swap
  const moved = sqrtPriceX96After !== sqrtPriceX96Before
  const zeroForOne = moved ? sqrtPriceX96After < sqrtPriceX96Before : amount0 > 0n
  const [amountIn, amountOut] = zeroForOne ? [amount0, amount1] : [amount1, amount0]
  if (amountIn < 0n || amountOut > 0n || (!moved && amountIn === 0n)) {
    throw new LpMathError(
      'SWAP_LOGS_INCONSISTENT',
      'Token0 in lowers the price, token1 in raises it: the logs have a gap or are seen from the trader.',
    )
  }
  return zeroForOne
}
