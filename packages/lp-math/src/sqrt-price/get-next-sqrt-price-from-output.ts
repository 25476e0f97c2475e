import { LpMathError } from '../lp-math-error.ts'
import { afterToken0Out, afterToken1Out } from './next-sqrt-price.ts'
import { requireAmount, requireLiquidity, requireSqrtPrice } from './require-arguments.ts'

/**
 * Sqrt price (Q64.96) after an amount was taken out of one liquidity segment; always at least at the exact price.
 * Source: v3 whitepaper eq. 6.13, 6.15; SqrtPriceMath of v3-core, same rounding.
 * @throws LpMathError `RESERVES_INSUFFICIENT` when the segment does not hold the amount; `SQRT_PRICE_OUT_OF_RANGE`,
 * `LIQUIDITY_OUT_OF_RANGE` (also for 0), `AMOUNT_NEGATIVE`.
 */
export function getNextSqrtPriceFromOutput(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amountOut: bigint,
  zeroForOne: boolean,
): bigint {
  requireSqrtPrice(sqrtPriceX96)
  requireLiquidity(liquidity)
  requireAmount(amountOut)
  if (liquidity === 0n) throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'No liquidity: no amount moves the price.')
  return zeroForOne
    ? afterToken1Out(sqrtPriceX96, liquidity, amountOut)
    : afterToken0Out(sqrtPriceX96, liquidity, amountOut)
}
