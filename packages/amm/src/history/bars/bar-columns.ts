import type { Bars } from '@svc/lp-math'

/** Bars that hold nothing yet. */
export function tradedColumns(grid: BarGrid): TradedBars {
  const column = () => new Float64Array(grid.count)
  const feeGrowth = { token0: column(), token1: column() }
  const bars = { ...createColumns(grid), feeGrowth }
  return { bars, fees0: column(), fees1: column(), trades: column(), bound: column(), closing: [] }
}

/** Bars, and beside each what its swaps paid to liquidity providers (smallest units) and how many they were. */
export type TradedBars = {
  readonly bars: Bars
  readonly fees0: Float64Array
  readonly fees1: Float64Array
  readonly trades: Float64Array
  /** How many of them paid less than the way of the price says: it passed a stretch with next to no liquidity. */
  readonly bound: Float64Array
  readonly closing: ClosingState[]
}

/** What a pool stands at when a bar ends. */
export type ClosingState = { readonly sqrtPriceX96: bigint; readonly liquidity: bigint }

/** Bars that follow each other, as one; at least one part. */
export function joinBars(parts: readonly TradedBars[]): TradedBars {
  const count = parts.reduce((sum, { bars }) => sum + bars.startsAt.length, 0)
  const [start = 0] = parts.find(({ bars }) => bars.startsAt.length > 0)?.bars.startsAt ?? []
  const joined = tradedColumns({ start, count, barSeconds: parts[0]?.bars.barSeconds ?? 0 })
  const columns = columnsOf(joined)
  let offset = 0
  for (const part of parts) {
    for (const [place, column] of columnsOf(part).entries()) columns[place]?.set(column, offset)
    for (const closing of part.closing) joined.closing.push(closing)
    offset += part.bars.startsAt.length
  }
  return joined
}

/** The bars without the first few. */
export function withoutFirst(traded: TradedBars, count: number): TradedBars {
  const [start = 0] = traded.bars.startsAt.slice(count)
  const left = Math.max(0, traded.bars.startsAt.length - count)
  const rest = tradedColumns({ start, count: left, barSeconds: traded.bars.barSeconds })
  for (const [place, column] of columnsOf(rest).entries()) column.set(columnsOf(traded)[place]?.slice(count) ?? [])
  rest.closing.push(...traded.closing.slice(count))
  return rest
}

/** Every column but the times, in the order they are kept. */
export function columnsOf({ bars, fees0, fees1, trades, bound }: TradedBars): readonly Float64Array[] {
  const { openTick, lowTick, highTick, closeTick, amount0In, amount1In, liquidity, feeGrowth } = bars
  const growth = feeGrowth === null ? [] : [feeGrowth.token0, feeGrowth.token1]
  return [
    openTick,
    lowTick,
    highTick,
    closeTick,
    amount0In,
    amount1In,
    liquidity,
    fees0,
    fees1,
    trades,
    bound,
    ...growth,
  ]
}

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
