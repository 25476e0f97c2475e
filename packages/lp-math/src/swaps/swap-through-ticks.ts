import { LpMathError } from '../lp-math-error.ts'
import { requireAmount, requireLiquidity } from '../sqrt-price/require-arguments.ts'
import { getSqrtPriceAtTick } from '../ticks/get-sqrt-price-at-tick.ts'
import { getTickAtSqrtPrice } from '../ticks/get-tick-at-sqrt-price.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/tick-bounds.ts'
import { computeSwapStep } from './compute-swap-step.ts'
import { createTickCursor, type TickLiquidity } from './create-tick-cursor.ts'

/**
 * An exact-input swap through a pool's initialised ticks, without touching the pool.
 * With `tickSpacing` the swap stops where the contracts' bitmap words end, as they do, and equals theirs to the unit; without, it
 * takes each stretch between ticks in one step and may differ from theirs by a unit per word crossed.
 * Ends early, with less taken in, at the price limit or where the liquidity ends. Source: v3 whitepaper 6.2.3, 6.3; v3-core `swap`.
 * @throws LpMathError `TICKS_UNSORTED`, `LIQUIDITY_OUT_OF_RANGE` when the ticks do not fit the liquidity,
 * `SQRT_PRICE_LIMIT_PASSED`, `FEE_OUT_OF_RANGE`, `AMOUNT_NEGATIVE`, `TICK_SPACING_OUT_OF_RANGE`.
 */
export function swapThroughTicks(options: SwapOptions): SwapResult {
  const { zeroForOne, feePips } = options
  requireAmount(options.amountSpecified)
  requireLiquidity(options.liquidity)
  const limit = options.sqrtPriceLimitX96 ?? (zeroForOne ? MIN_SQRT_PRICE + 1n : MAX_SQRT_PRICE - 1n)
  requireLimitAhead(limit, options)
  const cursor = createTickCursor(options)
  let { sqrtPriceX96, tick, liquidity, amountSpecified: amountRemaining } = options
  let [amountOut, feeAmount, crossed] = [0n, 0n, 0]

  while (amountRemaining > 0n && sqrtPriceX96 !== limit) {
    const next = cursor.next(tick)
    const sqrtPriceAtNext = getSqrtPriceAtTick(next.tick)
    const passesLimit = zeroForOne ? sqrtPriceAtNext < limit : sqrtPriceAtNext > limit
    const sqrtPriceTargetX96 = passesLimit ? limit : sqrtPriceAtNext
    const step = computeSwapStep({
      sqrtPriceX96,
      sqrtPriceTargetX96,
      liquidity,
      amountRemaining,
      exactIn: true,
      feePips,
    })
    amountRemaining -= step.amountIn + step.feeAmount
    amountOut += step.amountOut
    feeAmount += step.feeAmount
    if (step.sqrtPriceNextX96 === sqrtPriceAtNext) {
      if (next.liquidityNet !== null) {
        liquidity += zeroForOne ? -next.liquidityNet : next.liquidityNet
        requireLiquidity(liquidity)
        cursor.cross()
        crossed += 1
      }
      tick = zeroForOne ? next.tick - 1 : next.tick
    } else if (step.sqrtPriceNextX96 !== sqrtPriceX96) {
      tick = getTickAtSqrtPrice(step.sqrtPriceNextX96)
    }
    sqrtPriceX96 = step.sqrtPriceNextX96
  }
  const amountIn = options.amountSpecified - amountRemaining
  return {
    amountIn,
    amountOut,
    feeAmount,
    sqrtPriceX96After: sqrtPriceX96,
    tickAfter: tick,
    liquidityAfter: liquidity,
    crossed,
  }
}

/**
 * The pool's state (price Q64.96, the tick the contract reports, active liquidity), its whole fee in millionths of the input,
 * protocol's part included, its initialised ticks in rising order, and the input in smallest units.
 */
export type SwapOptions = {
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  feePips: number
  ticks: readonly TickLiquidity[]
  amountSpecified: bigint
  zeroForOne: boolean
  sqrtPriceLimitX96?: bigint
  tickSpacing?: number
}

/** Amounts in smallest units: `amountIn` is what the trader pays, `feeAmount` (in the same token) included. */
export type SwapResult = {
  amountIn: bigint
  amountOut: bigint
  feeAmount: bigint
  sqrtPriceX96After: bigint
  tickAfter: number
  liquidityAfter: bigint
  crossed: number
}

function requireLimitAhead(limit: bigint, { zeroForOne, sqrtPriceX96 }: SwapOptions): void {
  if (limit <= MIN_SQRT_PRICE || limit >= MAX_SQRT_PRICE) {
    throw new LpMathError('SQRT_PRICE_OUT_OF_RANGE', 'A price limit lies between MIN_SQRT_PRICE and MAX_SQRT_PRICE.')
  }
  if (zeroForOne ? limit > sqrtPriceX96 : limit < sqrtPriceX96) {
    throw new LpMathError('SQRT_PRICE_LIMIT_PASSED', 'The price is beyond the limit before the swap begins.')
  }
}
