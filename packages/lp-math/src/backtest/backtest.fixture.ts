import { type Bars, createBars } from '../bars/bars.ts'
import type { BacktestOptions } from './backtest-options.ts'

/** Bars of an hour that close at `closeTicks` and begin where the bar before closed, with the same trade and liquidity in each. */
export function barsAlong(
  closeTicks: readonly number[],
  { barSeconds = 3600, input = 1e15, liquidity = 1e20 } = {},
): Bars {
  const bars = createBars(closeTicks.length, barSeconds, 1_700_000_000, false)
  for (const [bar, closeTick] of closeTicks.entries()) {
    const openTick = closeTicks[bar - 1] ?? closeTick
    bars.openTick[bar] = openTick
    bars.closeTick[bar] = closeTick
    bars.lowTick[bar] = Math.min(openTick, closeTick)
    bars.highTick[bar] = Math.max(openTick, closeTick)
    bars.amount0In[bar] = input
    bars.amount1In[bar] = input
    bars.liquidity[bar] = liquidity
  }
  return bars
}

/** Two tokens of 18 decimals, the second one a dollar, in a pool of 0.3 %; nothing costs gas. */
export const plainOptions: BacktestOptions = {
  startValueUsd: 10_000,
  feePips: 3000,
  tickSpacing: 1,
  decimals0: 18,
  decimals1: 18,
  baseToken: 0,
  quoteUsd: 1,
  gasUsd: { open: 0, close: 0, rebalance: 0 },
}

export const still = { name: 'still', rangePct: 10, rebalanceThresholdPct: null }
export const full = { name: 'full', rangePct: null, rebalanceThresholdPct: null }
