import type { Bars } from '@svc/lp-math'
import type { BarGrid } from './bar-grid.ts'

/** Empty columns of bars, but for their times. */
export function createColumns({ start, count, barSeconds }: BarGrid): Columns {
  const column = () => new Float64Array(count)
  return {
    barSeconds,
    startsAt: Float64Array.from({ length: count }, (_, index) => start + index * barSeconds),
    openTick: column(),
    lowTick: column(),
    highTick: column(),
    closeTick: column(),
    amount0In: column(),
    amount1In: column(),
    liquidity: column(),
  }
}

export type Columns = Omit<Bars, 'feeGrowth'>
