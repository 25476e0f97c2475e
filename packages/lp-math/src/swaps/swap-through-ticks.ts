import { type SwapResult, type WalkOptions, walkSwap } from './walk-swap.ts'

/**
 * An exact-input swap through a pool's initialised ticks, without touching the pool.
 * With `tickSpacing` the swap stops where the contracts' bitmap words end, as they do, and equals theirs to the unit; without, it
 * takes each stretch between ticks in one step and may differ from theirs by a unit per word crossed.
 * Ends early, with less taken in, at the price limit or where the liquidity ends. Source: v3 whitepaper 6.2.3, 6.3; v3-core `swap`.
 * @throws LpMathError `TICKS_UNSORTED`, `LIQUIDITY_OUT_OF_RANGE` when the ticks do not fit the liquidity,
 * `SQRT_PRICE_LIMIT_PASSED`, `FEE_OUT_OF_RANGE`, `AMOUNT_NEGATIVE`, `TICK_SPACING_OUT_OF_RANGE`.
 */
export function swapThroughTicks(options: SwapOptions): SwapResult {
  return walkSwap({ ...options, exactIn: true }, unattended)
}

export type SwapOptions = Omit<WalkOptions, 'exactIn'>

const unattended = { step: () => {}, cross: () => {} }
