import type { Bars } from './bars.ts'

/** Columns for `count` bars from `startsAt` on, all zero but the starts. */
export function createBars(count: number, barSeconds: number, startsAt: number, withFeeGrowth: boolean): Bars {
  return {
    barSeconds,
    startsAt: Float64Array.from({ length: count }, (_, bar) => startsAt + bar * barSeconds),
    openTick: new Float64Array(count),
    lowTick: new Float64Array(count),
    highTick: new Float64Array(count),
    closeTick: new Float64Array(count),
    amount0In: new Float64Array(count),
    amount1In: new Float64Array(count),
    liquidity: new Float64Array(count),
    feeGrowth: withFeeGrowth ? { token0: new Float64Array(count), token1: new Float64Array(count) } : null,
  }
}
