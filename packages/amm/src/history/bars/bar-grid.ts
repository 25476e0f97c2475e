import type { Bars } from '@svc/lp-math'

/** The bars between two times (Unix seconds): the one that holds `from` is the first, the one before `to` the last. */
export function barGrid(from: number, to: number, barSeconds: number): BarGrid {
  const start = Math.floor(from / barSeconds) * barSeconds
  return { start, count: Math.max(0, Math.ceil((to - start) / barSeconds)), barSeconds }
}

export type BarGrid = {
  /** Unix seconds. */
  readonly start: number
  readonly count: number
  readonly barSeconds: number
}

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

type Columns = Omit<Bars, 'feeGrowth'>
