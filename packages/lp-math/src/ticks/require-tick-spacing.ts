import { LpMathError } from '../lp-math-error.ts'

/** Refuses a tick spacing the contracts would refuse: an integer within 1 and 32767 (v4-core TickMath). */
export function requireTickSpacing(tickSpacing: number): void {
  if (!Number.isInteger(tickSpacing) || tickSpacing < 1 || tickSpacing > 32767) {
    throw new LpMathError('TICK_SPACING_OUT_OF_RANGE', 'A tick spacing is an integer within 1 and 32767.')
  }
}
