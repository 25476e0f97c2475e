import type { CsvPool } from './csv-pool.ts'

/**
 * What a pool traded and paid its liquidity providers a day, in quote tokens at the price of each bar's close. The standard error is that of
 * the mean of whole days, as if they were independent; `null` below two of them.
 */
export function feePace(pool: CsvPool): FeePace {
  const { bars, feePips, protocolFeeShare } = pool
  const count = bars.startsAt.length
  const barsADay = 86_400 / bars.barSeconds
  const fees = new Float64Array(count)
  const volumes = new Float64Array(count)
  for (let bar = 0; bar < count; bar++) {
    const traded = inQuote(pool, bar, bars.amount0In[bar] ?? 0, bars.amount1In[bar] ?? 0)
    volumes[bar] = traded
    fees[bar] = bars.feeGrowth === null ? (traded * feePips * (1 - protocolFeeShare)) / 1e6 : grown(pool, bar)
  }
  const daysOf = (column: Float64Array) =>
    Array.from({ length: Math.floor(count / barsADay) }, (_, day) =>
      sum(column.subarray(Math.round(day * barsADay), Math.round((day + 1) * barsADay))),
    )
  return {
    feesPerDay: (sum(fees) / count) * barsADay,
    standardError: standardErrorOf(daysOf(fees)),
    volumePerDay: (sum(volumes) / count) * barsADay,
    volumes: daysOf(volumes),
  }
}

export type FeePace = {
  readonly feesPerDay: number
  readonly standardError: number | null
  readonly volumePerDay: number
  /** Of each whole day. */
  readonly volumes: readonly number[]
}

function grown(pool: CsvPool, bar: number): number {
  const { liquidity, feeGrowth } = pool.bars
  const there = liquidity[bar] ?? 0
  return inQuote(pool, bar, there * (feeGrowth?.token0[bar] ?? 0), there * (feeGrowth?.token1[bar] ?? 0))
}

/** Two amounts in smallest units as whole tokens of the quote. */
function inQuote({ bars, baseToken, decimals0, decimals1 }: CsvPool, bar: number, amount0: number, amount1: number) {
  const price = 1.0001 ** (bars.closeTick[bar] ?? 0)
  return baseToken === 0 ? (amount0 * price + amount1) / 10 ** decimals1 : (amount0 + amount1 / price) / 10 ** decimals0
}

function standardErrorOf(days: readonly number[]): number | null {
  if (days.length < 2) return null
  const mean = sum(days) / days.length
  const variance = days.reduce((total, day) => total + (day - mean) ** 2, 0) / (days.length - 1)
  return Math.sqrt(variance / days.length)
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
