import type { TickRange } from '../ticks/invert-ticks.ts'
import type { BacktestOptions } from './backtest-options.ts'
import { LN_TICK } from './market-columns.ts'
import type { StrategyRange } from './strategy-result.ts'
import { fullRangeTicks } from '../ticks/full-range-ticks.ts'

/** Ticks with the prices of the base token that they stand for; the full range is 0 to Infinity. */
export function strategyRange({ tickLower, tickUpper }: TickRange, options: BacktestOptions): StrategyRange {
  const full = fullRangeTicks(options.tickSpacing)
  if (tickLower === full.tickLower && tickUpper === full.tickUpper) {
    return { lower: 0, upper: Infinity, tickLower, tickUpper }
  }
  const priceAt = (tick: number) => Math.exp(tick * LN_TICK) * 10 ** (options.decimals0 - options.decimals1)
  return options.baseToken === 0
    ? { lower: priceAt(tickLower), upper: priceAt(tickUpper), tickLower, tickUpper }
    : { lower: 1 / priceAt(tickUpper), upper: 1 / priceAt(tickLower), tickLower, tickUpper }
}
