import { fullRangeTicks, type TickRange } from '../ticks/ticks.ts'
import { LN_TICK } from './market-columns.ts'

/**
 * Ticks of a range `rangePct` wide around the price at `tick`, half to each side in the price of the base token, at the nearest
 * usable ticks, and at least the usable ticks around the price.
 */
export function strategyTicks(tick: number, rangePct: number | null, baseToken: 0 | 1, tickSpacing: number): TickRange {
  const full = fullRangeTicks(tickSpacing)
  if (rangePct === null) return full
  const down = Math.log1p(-rangePct / 200) / LN_TICK
  const up = Math.log1p(rangePct / 200) / LN_TICK
  const [below, above] = baseToken === 0 ? [down, up] : [-up, -down]
  const spaced = (at: number) => Math.round(at / tickSpacing) * tickSpacing
  const floor = Math.floor(tick / tickSpacing) * tickSpacing
  const tickLower = within(Math.min(spaced(tick + below), floor), full.tickLower, full.tickUpper - tickSpacing)
  const tickUpper = within(Math.max(spaced(tick + above), floor + tickSpacing), tickLower + tickSpacing, full.tickUpper)
  return { tickLower, tickUpper }
}

function within(value: number, least: number, most: number): number {
  // Adding 0 makes a negative zero a plain one.
  return Math.min(most, Math.max(least, value)) + 0
}

/**
 * Share of a bar that its price spent in a range, each tick between low and high taken to have seen as much of the trade as another. A
 * price that stands on a tick is in or out; the upper tick of a range is out.
 */
export function traversedShare(lowTick: number, highTick: number, tickLower: number, tickUpper: number): number {
  if (lowTick >= tickLower && highTick < tickUpper) return 1
  if (highTick <= tickLower || lowTick >= tickUpper) return 0
  return (Math.min(highTick, tickUpper) - Math.max(lowTick, tickLower)) / (highTick - lowTick)
}
