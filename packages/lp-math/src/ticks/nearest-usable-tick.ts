import { LpMathError } from '../lp-math-error.ts'
import { requireTickSpacing } from './require-tick-spacing.ts'
import { MAX_TICK, MIN_TICK } from './tick-bounds.ts'

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
