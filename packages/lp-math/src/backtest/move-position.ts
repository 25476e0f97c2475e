import { amount0Of, amount1Of, openPosition, type Position } from './open-position.ts'
import type { StrategyReplay } from './strategy-replay.ts'
import { strategyTicks } from './strategy-ticks.ts'
import { swapIntoRatio } from './swap-into-ratio.ts'

/** Closes a position at the close of `bar` and swaps into the ratio of a new range around the price there. */
export function movePosition({ bars, strategy, options, market }: StrategyReplay, closed: Position, bar: number): Move {
  const { baseToken, tickSpacing, feePips } = options
  const sqrtPrice = market.sqrtPrice[bar] ?? 0
  const usd = { usd0: market.usd0[bar] ?? 0, usd1: market.usd1[bar] ?? 0 }
  const held = { amount0: amount0Of(closed, sqrtPrice), amount1: amount1Of(closed, sqrtPrice) }
  const closedUsd = held.amount0 * usd.usd0 + held.amount1 * usd.usd1
  const ticks = strategyTicks(bars.closeTick[bar] ?? 0, strategy.rangePct, baseToken, tickSpacing)
  const whole = openPosition(ticks, closedUsd, sqrtPrice, usd)
  const ratio = { amount0: amount0Of(whole, sqrtPrice), amount1: amount1Of(whole, sqrtPrice) }
  const swap = swapIntoRatio(held, ratio, { sqrtPrice, liquidity: bars.liquidity[bar] ?? 0, fee: feePips / 1e6 })
  const swapCostUsd = (swap.sold0 - swap.bought0) * usd.usd0 + (swap.sold1 - swap.bought1) * usd.usd1
  // The liquidity is in proportion to the value.
  const position = { ...whole, liquidity: whole.liquidity * (1 - swapCostUsd / closedUsd) }
  return { position, closedUsd, swapCostUsd }
}

export type Move = { readonly position: Position; readonly closedUsd: number; readonly swapCostUsd: number }
