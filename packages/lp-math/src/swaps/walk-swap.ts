import { LpMathError } from '../lp-math-error.ts'
import { requireAmount, requireLiquidity } from '../sqrt-price/sqrt-price.ts'
import { getSqrtPriceAtTick, getTickAtSqrtPrice } from '../ticks/sqrt-price-of-tick.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/ticks.ts'
import { computeSwapStep, type SwapStep } from './compute-swap-step.ts'
import { createTickCursor, type TickLiquidity } from './create-tick-cursor.ts'

/**
 * The loop of a swap, exact input or exact output, that tells a visitor of each step's fee and of each initialised tick it crosses.
 * Source: v3-core `swap`.
 * @throws LpMathError as `swapThroughTicks`.
 */
export function walkSwap(options: SwapOptions, visitor: SwapVisitor): SwapResult {
  const { zeroForOne, feePips, exactIn = true, version = 'v3' } = options
  requireAmount(options.amountSpecified)
  requireLiquidity(options.liquidity)
  const limit = options.sqrtPriceLimitX96 ?? (zeroForOne ? MIN_SQRT_PRICE + 1n : MAX_SQRT_PRICE - 1n)
  requireLimitAhead(limit, options)
  const cursor = createTickCursor(options)
  let { sqrtPriceX96, tick, liquidity, amountSpecified: amountRemaining } = options
  let [amountIn, amountOut, feeAmount, crossed] = [0n, 0n, 0n, 0]

  while (amountRemaining > 0n && sqrtPriceX96 !== limit) {
    const next = cursor.next(tick)
    const sqrtPriceAtNext = getSqrtPriceAtTick(next.tick)
    const passesLimit = zeroForOne ? sqrtPriceAtNext < limit : sqrtPriceAtNext > limit
    const sqrtPriceTargetX96 = passesLimit ? limit : sqrtPriceAtNext
    const towards = { sqrtPriceX96, sqrtPriceTargetX96, liquidity, amountRemaining, exactIn, feePips, version }
    const step = computeSwapStep(towards)
    amountRemaining -= exactIn ? step.amountIn + step.feeAmount : step.amountOut
    amountIn += step.amountIn + step.feeAmount
    amountOut += step.amountOut
    feeAmount += step.feeAmount
    visitor.step(step, { sqrtPriceX96, tick, liquidity })
    if (step.sqrtPriceNextX96 === sqrtPriceAtNext) {
      if (next.liquidityNet !== null) {
        visitor.cross(next.tick)
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
  const after = { sqrtPriceX96After: sqrtPriceX96, tickAfter: tick, liquidityAfter: liquidity }
  return { amountIn, amountOut, feeAmount, ...after, crossed }
}

/**
 * The pool's state (price Q64.96, the tick the contract reports, active liquidity), its whole fee in millionths of the input,
 * protocol's part included, its initialised ticks in rising order, and the amount in smallest units: of the input unless `exactIn` is
 * `false`.
 */
export type SwapOptions = {
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  feePips: number
  ticks: readonly TickLiquidity[]
  amountSpecified: bigint
  /** `true` by default. */
  exactIn?: boolean
  zeroForOne: boolean
  sqrtPriceLimitX96?: bigint
  tickSpacing?: number
  /** Whose rounding of a step's fee, `v3` by default: what is paid and what comes out is the same in both. */
  version?: 'v3' | 'v4'
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

export type SwapVisitor = {
  /** A step, and the pool as it was before it. */
  step(step: SwapStep, before: BeforeStep): void
  /** After the step that reached it. */
  cross(tick: number): void
}

/** Price, tick and active liquidity. */
export type BeforeStep = { readonly sqrtPriceX96: bigint; readonly tick: number; readonly liquidity: bigint }

function requireLimitAhead(limit: bigint, { zeroForOne, sqrtPriceX96 }: SwapOptions): void {
  if (limit <= MIN_SQRT_PRICE || limit >= MAX_SQRT_PRICE) {
    throw new LpMathError('SQRT_PRICE_OUT_OF_RANGE', 'A price limit lies between MIN_SQRT_PRICE and MAX_SQRT_PRICE.')
  }
  if (zeroForOne ? limit > sqrtPriceX96 : limit < sqrtPriceX96) {
    throw new LpMathError('SQRT_PRICE_LIMIT_PASSED', 'The price is beyond the limit before the swap begins.')
  }
}
