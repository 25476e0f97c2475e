import type { PriceBounds } from '../closed-form/price-bounds.ts'
import { requirePriceBounds } from '../closed-form/require-price-bounds.ts'
import { tenToDecimals } from '../prices/ten-to-decimals.ts'
import { fullRangeTicks } from '../ticks/full-range-ticks.ts'
import type { TickRange } from '../ticks/invert-ticks.ts'
import { MAX_TICK } from '../ticks/tick-bounds.ts'
import type { RangeMarket } from './range-market.ts'

/**
 * The narrowest range between usable ticks that holds the bounds, and its own bounds; the whole range has the bounds 0 and Infinity. All
 * in the order of the caller, for whom the ticks count as {@link invertTicks} turns them.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`, `TICK_SPACING_OUT_OF_RANGE`, `DECIMALS_OUT_OF_RANGE`.
 */
export function usableRange(bounds: PriceBounds, market: UsableRangeOptions): UsableRange {
  requirePriceBounds(bounds)
  const { tickSpacing } = market
  const unit = Number(tenToDecimals(market.decimals0)) / Number(tenToDecimals(market.decimals1))
  const full = fullRangeTicks(tickSpacing)
  const lowest = Math.floor(tickOf(bounds.lower / unit) / tickSpacing + CLOSE) * tickSpacing
  const tickLower = Math.min(Math.max(lowest, full.tickLower), full.tickUpper - tickSpacing)
  const highest = Math.ceil(tickOf(bounds.upper / unit) / tickSpacing - CLOSE) * tickSpacing
  const tickUpper = Math.max(Math.min(highest, full.tickUpper), tickLower + tickSpacing)
  return {
    // Adding 0 turns -0 into 0.
    tickLower: tickLower + 0,
    tickUpper: tickUpper + 0,
    bounds: {
      lower: tickLower === full.tickLower ? 0 : 1.0001 ** tickLower * unit,
      upper: tickUpper === full.tickUpper ? Number.POSITIVE_INFINITY : 1.0001 ** tickUpper * unit,
    },
  }
}

export type UsableRange = TickRange & { readonly bounds: PriceBounds }

type UsableRangeOptions = Pick<RangeMarket, 'tickSpacing' | 'decimals0' | 'decimals1'>

/** Within the ticks and one beyond, for prices as far as 0 and Infinity. */
function tickOf(price: number): number {
  return Math.min(Math.max(Math.log(price) / Math.log(1.0001), -MAX_TICK - 1), MAX_TICK + 1)
}

/** A bound this near to a usable tick, in spacings, is on it: what lies between is the rounding of a price. */
const CLOSE = 1e-6
