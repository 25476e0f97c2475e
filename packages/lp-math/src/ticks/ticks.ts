import { LpMathError } from '../lp-math-error.ts'
/** The lowest tick of v3 and v4 pools. */
export const MIN_TICK = -887272
/** The highest tick of v3 and v4 pools. */
export const MAX_TICK = 887272
/** The lowest sqrt price (Q64.96) of v3 and v4 pools, that of their lowest tick. */
export const MIN_SQRT_PRICE = 4295128739n
/** The sqrt price (Q64.96) of the highest tick of v3 and v4 pools, which they stay below. */
export const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342n

/** Refuses a tick spacing the contracts would refuse: an integer within 1 and 32767 (v4-core TickMath). */
export function requireTickSpacing(tickSpacing: number): void {
  if (!Number.isInteger(tickSpacing) || tickSpacing < 1 || tickSpacing > 32767) {
    throw new LpMathError('TICK_SPACING_OUT_OF_RANGE', 'A tick spacing is an integer within 1 and 32767.')
  }
}

/**
 * The widest range a position may have at a tick spacing: the outermost multiples within MIN_TICK and MAX_TICK.
 * @throws LpMathError `TICK_SPACING_OUT_OF_RANGE`.
 */
export function fullRangeTicks(tickSpacing: number): { tickLower: number; tickUpper: number } {
  requireTickSpacing(tickSpacing)
  const tickUpper = Math.floor(MAX_TICK / tickSpacing) * tickSpacing
  return { tickLower: -tickUpper, tickUpper }
}

/**
 * The multiple of `tickSpacing` nearest to `tick` (halves go up) that lies within MIN_TICK and MAX_TICK.
 * @throws LpMathError `TICK_OUT_OF_RANGE` or `TICK_SPACING_OUT_OF_RANGE`.
 */
export function nearestUsableTick(tick: number, tickSpacing: number): number {
  requireTickSpacing(tickSpacing)
  if (!Number.isInteger(tick) || tick < MIN_TICK || tick > MAX_TICK) {
    throw new LpMathError('TICK_OUT_OF_RANGE', `A tick is an integer within ${MIN_TICK} and ${MAX_TICK}.`)
  }
  const rounded = Math.round(tick / tickSpacing) * tickSpacing
  if (rounded < MIN_TICK) return rounded + tickSpacing
  if (rounded > MAX_TICK) return rounded - tickSpacing
  return rounded === 0 ? 0 : rounded
}

/**
 * A tick range seen from the other order of the two tokens: the price inverts, so the ticks change sign and place.
 * Its own inverse. Ticks found in the caller's order are thus turned into the pool's order exactly, without inverting a price.
 */
export function invertTicks(range: TickRange): TickRange {
  return { tickLower: negate(range.tickUpper), tickUpper: negate(range.tickLower) }
}

/** The two ticks of a range, the lower one first. */
export type TickRange = { tickLower: number; tickUpper: number }

function negate(tick: number): number {
  return tick === 0 ? 0 : -tick
}

/**
 * The tick spacing that goes with a fee in millionths: 100 -> 1, 500 -> 10, 3000 -> 60, 10000 -> 200.
 * Source: the v3 factory's `feeAmountTickSpacing`; by custom also v4's pools of these fees.
 * @throws LpMathError `FEE_UNKNOWN` for any other fee.
 */
export function tickSpacingForFee(feePips: number): number {
  switch (feePips) {
    case 100:
      return 1
    case 500:
      return 10
    case 3000:
      return 60
    case 10000:
      return 200
    default:
      throw new LpMathError('FEE_UNKNOWN', 'A fee with a customary tick spacing is one of 100, 500, 3000, 10000.')
  }
}
