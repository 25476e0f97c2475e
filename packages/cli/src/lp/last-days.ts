import type { CsvPool } from './csv-pool.ts'

/** The pool with the bars of its last days alone; `null` where it has fewer days. */
export function lastDays(pool: CsvPool, days: number): CsvPool | null {
  const { bars } = pool
  const count = Math.round((days * 86_400) / bars.barSeconds)
  if (count < 1 || bars.startsAt.length < count) return null
  const last = (column: Float64Array) => column.subarray(column.length - count)
  const { feeGrowth } = bars
  return {
    ...pool,
    bars: {
      barSeconds: bars.barSeconds,
      startsAt: last(bars.startsAt),
      openTick: last(bars.openTick),
      lowTick: last(bars.lowTick),
      highTick: last(bars.highTick),
      closeTick: last(bars.closeTick),
      amount0In: last(bars.amount0In),
      amount1In: last(bars.amount1In),
      liquidity: last(bars.liquidity),
      feeGrowth: feeGrowth === null ? null : { token0: last(feeGrowth.token0), token1: last(feeGrowth.token1) },
    },
  }
}
