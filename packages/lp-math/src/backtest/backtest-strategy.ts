import { LpMathError } from '../lp-math-error.ts'
import { fullRangeTicks, type TickRange } from '../ticks/ticks.ts'
import { LN_TICK } from './market-columns.ts'

/** A rule for a position: how wide its range is around the price, and when it is moved. */
export type BacktestStrategy = {
  readonly name: string
  /** Full width of the range in percent of the price, below 200: 10 is 5 % to each side. `null` is the full range. */
  readonly rangePct: number | null
  /** Share of the trailing 24 hours out of range, in percent, at which the position is moved; `null` is never. */
  readonly rebalanceThresholdPct: number | null
}

/** @throws LpMathError `STRATEGY_MALFORMED`, naming the strategy and its member. */
export function checkStrategies(strategies: readonly BacktestStrategy[]): void {
  if (strategies.length === 0) throw malformed('strategies holds at least one strategy.')
  const names = new Set<string>()
  for (const [index, { name, rangePct, rebalanceThresholdPct }] of strategies.entries()) {
    if (name === '') throw malformed(`strategies[${index}].name is not empty.`)
    if (names.has(name)) throw malformed(`strategies[${index}].name is not that of an earlier strategy.`)
    names.add(name)
    if (rangePct !== null && !(rangePct > 0 && rangePct < 200)) {
      throw malformed(`strategies[${index}].rangePct is above 0 and below 200, or null for the full range.`)
    }
    if (rebalanceThresholdPct !== null && !(rebalanceThresholdPct >= 0 && rebalanceThresholdPct <= 100)) {
      throw malformed(`strategies[${index}].rebalanceThresholdPct is within 0 and 100, or null for never.`)
    }
  }
}

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

/**
 * Share of a bar that its price spent in a range, each tick between low and high taken to have seen as much of the trade as another. A
 * price that stands on a tick is in or out; the upper tick of a range is out.
 */
export function traversedShare(lowTick: number, highTick: number, tickLower: number, tickUpper: number): number {
  if (lowTick >= tickLower && highTick < tickUpper) return 1
  if (highTick <= tickLower || lowTick >= tickUpper) return 0
  return (Math.min(highTick, tickUpper) - Math.max(lowTick, tickLower)) / (highTick - lowTick)
}

function malformed(message: string): LpMathError {
  return new LpMathError('STRATEGY_MALFORMED', message)
}

function within(value: number, least: number, most: number): number {
  // Adding 0 makes a negative zero a plain one.
  return Math.min(most, Math.max(least, value)) + 0
}
