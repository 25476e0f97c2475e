import { LpMathError } from '../lp-math-error.ts'
import { afterToken0In, afterToken1In } from './next-sqrt-price.ts'
import { requireAmount, requireLiquidity, requireSqrtPrice } from './require-arguments.ts'

/**
 * Sqrt price (Q64.96) after an amount, fee already taken off, was paid into one liquidity segment; never past the exact price.
 * Source: v3 whitepaper eq. 6.13, 6.15; SqrtPriceMath of v3-core, same rounding.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE` (also for 0), `AMOUNT_NEGATIVE`.
 */
export function getNextSqrtPriceFromInput(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amountIn: bigint,
  zeroForOne: boolean,
): bigint {
  requireSqrtPrice(sqrtPriceX96)
  requireLiquidity(liquidity)
  requireAmount(amountIn)
  if (liquidity === 0n) throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'No liquidity: no amount moves the price.')
  return zeroForOne
    ? afterToken0In(sqrtPriceX96, liquidity, amountIn)
    : afterToken1In(sqrtPriceX96, liquidity, amountIn)
}
