import type { SwapPlan } from './plan-swap.ts'
import type { SwapFields } from './pool-event.ts'

/** What the pool would write into the Swap event. */
export function swapFields({ zeroForOne, result }: SwapPlan): SwapFields {
  const { amountIn, amountOut, sqrtPriceX96After: sqrtPriceX96, liquidityAfter: liquidity, tickAfter: tick } = result
  const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  return { amount0, amount1, sqrtPriceX96, liquidity, tick }
}
