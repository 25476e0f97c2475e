import { requireTickSpacing } from './require-tick-spacing.ts'
import { MAX_TICK } from './tick-bounds.ts'

/**
 * The widest range a position may have at a tick spacing: the outermost multiples within MIN_TICK and MAX_TICK.
 * @throws LpMathError `TICK_SPACING_OUT_OF_RANGE`.
 */
export function fullRangeTicks(tickSpacing: number): { tickLower: number; tickUpper: number } {
  requireTickSpacing(tickSpacing)
  const tickUpper = Math.floor(MAX_TICK / tickSpacing) * tickSpacing
  return { tickLower: -tickUpper, tickUpper }
}
