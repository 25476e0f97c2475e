import type { Bars } from './bars.ts'

/** The bars from one on, up to another that is none of them, as views of the same columns. */
export function barsFrom(bars: Bars, start: number, end = bars.startsAt.length): Bars {
  const from = (column: Float64Array) => column.subarray(start, end)
  const { feeGrowth } = bars
  return {
    barSeconds: bars.barSeconds,
    startsAt: from(bars.startsAt),
    openTick: from(bars.openTick),
    lowTick: from(bars.lowTick),
    highTick: from(bars.highTick),
    closeTick: from(bars.closeTick),
    amount0In: from(bars.amount0In),
    amount1In: from(bars.amount1In),
    liquidity: from(bars.liquidity),
    feeGrowth: feeGrowth === null ? null : { token0: from(feeGrowth.token0), token1: from(feeGrowth.token1) },
  }
}
